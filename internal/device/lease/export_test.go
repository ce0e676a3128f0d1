package lease

// Waiting counts those who wait.
func (t *Table) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}
