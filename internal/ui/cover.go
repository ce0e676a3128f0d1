package ui

// cellSize is the edge of a square of the grid below, in points: about the size of a control.
const cellSize = 64

type cell struct{ x, y int }

func cellOf(p Point) cell { return cell{int(p.X) / cellSize, int(p.Y) / cellSize} }

// cover finds, for each node, what is painted over its centre later. A container stretched over the screen hides
// nothing; only solid elements do. The solid ones are laid out on a grid, so that a screen of thousands of elements
// does not compare each with each.
func (s *Screen) cover() {
	s.solids, s.vast = map[cell][]*Node{}, nil
	for _, n := range s.nodes {
		switch {
		case !kinds[n.Type].solid || !n.Visible() || n.Unplaced:
		case n.seen.vast():
			s.vast = append(s.vast, n)
		default:
			lay(s.solids, n)
		}
	}
	s.alert = s.last(func(n *Node) bool { return n.Type == "Alert" && n.Visible() })
	for _, n := range s.nodes {
		n.covered = s.over(n, n.Frame.Centre())
	}
}

// over is what is painted over an element at a point; nil when nothing is.
func (s *Screen) over(n *Node, at Point) (top *Node) {
	if s.alert != nil && n.order < s.alert.order && !s.alert.within(n) {
		return s.alert // an alert takes every touch, also beside it
	}
	for _, solids := range [...][]*Node{s.vast, s.solids[cellOf(at)]} {
		for _, o := range solids {
			if o.order > n.order && o.seen.Contains(at) && !o.within(n) && !n.within(o) {
				top = o
			}
		}
	}
	return top
}

// vast reports whether a frame is beyond any screen, as broken sources make them.
func (r Rect) vast() bool {
	const edge = 1 << 16
	return !(r.X >= -edge && r.Y >= -edge && r.X+r.W <= edge && r.Y+r.H <= edge) // also what is not a number
}

// lay enters a node into every cell that its part on the screen touches.
func lay(grid map[cell][]*Node, n *Node) {
	first, last := cellOf(Point{n.seen.X, n.seen.Y}), cellOf(Point{n.seen.X + n.seen.W, n.seen.Y + n.seen.H})
	for x := first.x; x <= last.x; x++ {
		for y := first.y; y <= last.y; y++ {
			grid[cell{x, y}] = append(grid[cell{x, y}], n)
		}
	}
}
