package ui

// Weight is about how much memory the refs take: how many there are, and how many nodes the remembered screens have.
func (r *Refs) Weight() int {
	n := len(r.entries)
	for _, l := range r.looks.kept {
		n += len(l.screen.nodes)
	}
	return n
}

// Forget lets go of all refs and screens. The refs are expired from now on: their numbers are not given out again.
func (r *Refs) Forget() { *r = Refs{last: r.last} }
