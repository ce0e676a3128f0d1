package device

import (
	"context"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Guarding is a device that looks for what an input is meant for at the moment of the input, and at the screen after it.
type Guarding interface {
	GuardsInputs()
}

// Guards reports whether a device checks the guards of its inputs: the part of it that touches the screen does. Another part that would
// does not count.
func Guards(d Device) bool {
	c, is := d.(*Composite)
	if !is {
		_, guards := d.(Guarding)
		return guards
	}
	for _, p := range c.asked("Touch") {
		if _, touches := Has[Touch](p); touches {
			return Guards(p)
		}
	}
	return false
}

// Guard says what the next input is meant for. A device that guards its inputs refuses with a *RefusedError when something else
// is there.
type Guard struct {
	App   string   // must be in front; empty: any
	Aim   *ui.Node // nil: the input is not aimed at an element
	Rank  int      // of Aim among the elements with its type, identifier and label, in document order
	At    ui.Point // the point that is touched
	Depth int      // how deep the tree is read; 0 is the driver's own
	After Wait     // the look after the input; its patience is for a screen that differs from the one before

	// Method is how the device did the inputs under this guard, where it has several ways; empty: it has one.
	Method string
	// Seen is the screen after the input, if the driver looked and no other input followed.
	Seen *ui.Screen

	used bool
}

type guardKey struct{}

// WithGuard guards the first input that is sent under the context.
func WithGuard(ctx context.Context, g *Guard) context.Context {
	return context.WithValue(ctx, guardKey{}, g)
}

// GuardOf is the guard of a context; an empty one if there is none.
func GuardOf(ctx context.Context) *Guard {
	if g, _ := ctx.Value(guardKey{}).(*Guard); g != nil {
		return g
	}
	return &Guard{}
}

// Take gives what was seen after the input, once; nil if nothing was.
func (g *Guard) Take() *ui.Screen {
	seen := g.Seen
	g.Seen = nil
	return seen
}

// TakeGuard gives an input its guard: the first one gets it, later ones get nil.
func TakeGuard(ctx context.Context) *Guard {
	g, _ := ctx.Value(guardKey{}).(*Guard)
	if g == nil {
		return nil
	}
	if g.Seen = nil; g.used {
		return nil
	}
	g.used = true
	return g
}

// RefusedError says that an input was not sent, because the screen is not what its guard says. Looking again may help.
type RefusedError struct {
	Code  fault.Code
	Cause error
}

func (e *RefusedError) Error() string { return e.Cause.Error() }

// Unwrap gives what the driver said.
func (e *RefusedError) Unwrap() error { return e.Cause }

// Fault says that nothing was sent.
func (e *RefusedError) Fault() *fault.Fault {
	return fault.New(e.Code, "%w", e).WithDispatch(fault.NotDispatched)
}
