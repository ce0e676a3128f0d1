package ui

// Bytes is about how much memory the refs take, without the trees of remembered screens.
func (r *Refs) Bytes() int {
	size := r.bytes
	for known := range r.steady {
		size += ruleBytes + len(known.identifier) + len(known.label) + len(known.value)
	}
	return size + ruleBytes*len(r.restless.movers)
}

// Forget lets go of all refs and screens. The refs are expired from now on: their numbers are not given out again.
func (r *Refs) Forget() {
	left := Refs{last: r.last, trees: r.trees, lapsed: r.lapsed}
	for len(r.looks.kept) > 0 {
		left.lapse(r.looks.kept[0].device)
		r.drop(0)
	}
	*r = left
}

// Shed lets go of all screens but the one that was shown last, and of the refs that are not on it.
func (r *Refs) Shed() {
	for len(r.looks.kept) > 1 {
		r.drop(0)
	}
	for number, e := range r.entries {
		if len(r.looks.kept) == 0 || e.hash != r.looks.kept[0].screen.hash {
			r.remove(number)
		}
	}
}
