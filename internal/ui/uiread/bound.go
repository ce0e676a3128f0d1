package uiread

import "context"

// bound limits how much of a tree is read. The zero bound is unlimited.
type bound struct {
	ctx   context.Context // ends the reading; nil: never
	nodes int             // maximum number of stored elements; 0: unlimited
	steps int             // taken so far
}

const (
	// between is the number of steps between two checks of the context.
	between = 512
	// eachNode is the maximum number of stored values per stored element: real elements have fewer.
	eachNode = 100
)

// step counts one value or token. Its error is that of the context.
func (b *bound) step() error {
	if b.steps++; b.steps%between != 0 {
		return nil
	}
	return b.ended()
}

// ended is the error of the context.
func (b *bound) ended() error {
	if b.ctx == nil {
		return nil
	}
	return b.ctx.Err()
}

// full reports whether the stored elements and values have reached the bound, so that the rest is only counted.
func (b *bound) full(nodes, values int) bool {
	return b.nodes > 0 && (nodes >= b.nodes || values >= b.nodes*eachNode)
}
