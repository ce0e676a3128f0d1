package ui

// Again is the element n of an earlier look; nil when it is gone.
func (s *Screen) Again(n *Node) *Node { return s.counterpart(n) }
