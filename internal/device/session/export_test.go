package session

// Projects is how many folders the session remembers defaults of.
func (s *Session) Projects() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.projects.stores)
}
