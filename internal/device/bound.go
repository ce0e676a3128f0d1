package device

import "ios-agent/internal/ui"

// MostNodes is how many elements of one app a look has: the agent's own limit. Drivers whose other side has none keep to it as well: a
// hostile or broken app may show hundreds of thousands.
const MostNodes = 5000

// Bound leaves out of a tree all after the first MostNodes elements in document order, and gives their number.
func Bound(root *ui.Node) (left int) {
	room := MostNodes - 1
	return bound(root, &room)
}

func bound(n *ui.Node, room *int) (left int) {
	kept := 0
	for _, c := range n.Children {
		if *room == 0 {
			left += size(c)
			continue
		}
		*room--
		kept++
		left += bound(c, room)
	}
	n.Children = n.Children[:kept]
	return left
}

// size is how many elements a tree has.
func size(n *ui.Node) (count int) {
	n.Walk(func(*ui.Node) bool { count++; return true })
	return count
}

// LeftOut adds elements that were left out to those that a source left out, of which -1 are some, nobody knows how many.
func LeftOut(known, more int) int {
	if known < 0 && more == 0 {
		return known
	}
	return max(known, 0) + more
}
