package telemetry

// IndexBytes is how much the index knows; before it is told, what it lacks and somebody missed is added.
func (s *Store) IndexBytes() int64 {
	s.mends.Wait()
	return s.index.Bytes()
}
