package agent

import "ios-agent/internal/virtualxcode/world"

// mostParts is how many parts of a tree are read: each is a question to the app.
const mostParts = 100

// parts puts a tree together that has more levels than can be read at once. The Swift agent does the same.
type parts struct {
	levels int // that can be read at once
	left   int // how many parts may still be read
	unread uint32
}

// tree reads an element alone, and each of its children with all below it or, where that is too deep, in the same way.
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
