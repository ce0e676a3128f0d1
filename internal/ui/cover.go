package ui

// cellSize is the edge of a square of the grid below, in points: about the size of a control.
const cellSize = 64

type cell struct{ x, y int }

func cellOf(p Point) cell { return cell{int(p.X) / cellSize, int(p.Y) / cellSize} }

// cover finds, for each node, what is painted over its centre later. A container stretched over the screen hides
// nothing; only solid elements do. The solid ones are laid out on a grid, so that a screen of thousands of elements
// does not compare each with each.
func (s *Screen) cover() {
	grid := map[cell][]*Node{}
	var vast []*Node // too large for a grid; no real screen is
	for _, n := range s.nodes {
		switch {
		case !kinds[n.Type].solid || !n.Visible() || n.Unplaced:
		case n.seen.vast():
			vast = append(vast, n)
		default:
			lay(grid, n)
		}
	}
	for _, n := range s.nodes {
		centre := n.Frame.Centre()
		for _, over := range append(vast, grid[cellOf(centre)]...) {
			if over.order > n.order && over.seen.Contains(centre) && !over.within(n) && !n.within(over) {
				n.covered = over
			}
		}
	}
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
