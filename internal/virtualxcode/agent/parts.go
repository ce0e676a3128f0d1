package agent

import "ios-agent/internal/virtualxcode/world"

// mostParts is the maximum number of parts of a tree: each needs a request to the app.
const mostParts = 100

// parts assembles a tree that has more levels than one read allows. The Swift agent does the same.
type parts struct {
	levels int // maximum levels of one read
	left   int // remaining reads
	unread uint32
}

// tree reads an element alone, and each child with its whole subtree or, if the subtree is too deep, in the same way.
func (p *parts) tree(e *world.Element) *world.Element {
	alone := *e
	alone.Children = nil
	for i, child := range e.Children {
		if p.left == 0 {
			p.unread += uint32(len(e.Children) - i)
			break
		}
		p.left--
		if child.Levels() > p.levels {
			child = p.tree(child)
		}
		alone.Children = append(alone.Children, child)
	}
	return &alone
}
