package audit

import (
	"cmp"
	"slices"

	"ios-agent/internal/ui"
)

// readingOrder checks that the elements of each container are read in rows or in columns, from the left or from the right. Any other order
// jumps back somewhere; the first element that does so is reported.
func (l *look) readingOrder() (all []Finding) {
	var parents []*ui.Node
	siblings := map[*ui.Node][]*ui.Node{}
	for _, e := range l.elements {
		p := e.Parent()
		if p == nil || e.bar || e.system || e.inner && !rows[p.Type] || !l.apparent(e) || !(e.Interactive() || leaves[e.Role()]) {
			continue
		}
		if siblings[p] == nil {
			parents = append(parents, p)
		}
		siblings[p] = append(siblings[p], e.Node)
	}
	for _, p := range parents {
		kids := slices.DeleteFunc(slices.Clone(siblings[p]), func(n *ui.Node) bool {
			return slices.ContainsFunc(siblings[p], func(o *ui.Node) bool { return o != n && inside(o.Frame, n.Frame) })
		})
		if i, order := jumps(kids); i >= 0 {
			n, after := kids[i], kids[i-1]
			all = append(all, l.found("reading-order", Note, n, n.Describe()+" is read after "+after.Describe()+", which is placed after it",
				Fix{Say: "order the elements of its container by rows", Swift: ".accessibilitySortPriority(1)", order: order}))
		}
	}
	return all
}

// leaves are the roles that are read, besides actionable elements.
var leaves = map[string]bool{"text": true, "heading": true, "img": true}

// jumps returns the index of the first element that is read too late, and the right order; -1 if the order is right.
func jumps(kids []*ui.Node) (at int, right []*ui.Node) {
	if len(kids) < 2 {
		return -1, nil
	}
	for _, how := range []struct{ turned, fromRight bool }{{}, {fromRight: true}, {turned: true}, {turned: true, fromRight: true}} {
		order := inRows(kids, how.turned, how.fromRight)
		if slices.Equal(order, kids) {
			return -1, nil
		}
		if right == nil {
			right = order
		}
	}
	rank := map[*ui.Node]int{}
	for i, n := range right {
		rank[n] = i
	}
	for i := 1; i < len(kids); i++ {
		if rank[kids[i]] < rank[kids[i-1]] {
			return i, right
		}
	}
	return -1, nil
}

// inRows sorts the elements row by row; turned, column by column. Elements are in one row when half of the lower one lies beside the
// highest of the row.
func inRows(kids []*ui.Node, turned, fromRight bool) []*ui.Node {
	box := func(n *ui.Node) ui.Rect {
		f := n.Frame
		if fromRight {
			f.X = -(f.X + f.W)
		}
		if turned {
			f = ui.Rect{X: f.Y, Y: f.X, W: f.H, H: f.W}
		}
		return f
	}
	sorted := slices.Clone(kids)
	slices.SortStableFunc(sorted, func(a, b *ui.Node) int {
		return cmp.Or(cmp.Compare(box(a).Y, box(b).Y), cmp.Compare(box(a).X, box(b).X))
	})
	var order, row []*ui.Node
	end := func() {
		slices.SortStableFunc(row, func(a, b *ui.Node) int { return cmp.Compare(box(a).X, box(b).X) })
		order, row = append(order, row...), nil
	}
	for _, n := range sorted {
		if len(row) > 0 {
			top, f := box(row[0]), box(n)
			if shared := min(top.Y+top.H, f.Y+f.H) - f.Y; shared < min(top.H, f.H)/2 {
				end()
			}
		}
		row = append(row, n)
	}
	end()
	return order
}
