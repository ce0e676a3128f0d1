package uiread

import "context"

// bound is how much of a tree is read. The zero bound is none.
type bound struct {
	ctx   context.Context // whose end ends the reading; nil: nobody's
	nodes int             // how many elements are kept; 0: all
	steps int             // taken so far
}

const (
	// between is how many steps are taken between two questions whether the caller is still there.
	between = 512
	// eachNode is how many values of a document are kept for each element that is: none has that many.
	eachNode = 100
)

// step is one value or token read. Its error is that of the context.
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

// full reports whether what comes is only counted, after so many elements and values.
func (b *bound) full(nodes, values int) bool {
	return b.nodes > 0 && (nodes >= b.nodes || values >= b.nodes*eachNode)
}
