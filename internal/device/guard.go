package device

import (
	"context"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Guarding is a device that checks the target of an input at the moment of the input, and looks at the screen after it.
type Guarding interface {
	GuardsInputs()
}

// Guards reports whether a device checks the guards of its inputs. Only the part that touches the screen counts.
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

// Guard is the expected target of the next input. A device that guards its inputs returns a *RefusedError if something else is at its
// place.
type Guard struct {
	App   string   // must be in front; empty: any app
	Aim   *ui.Node // target element; nil: none
	Rank  int      // index of Aim among the elements with its type, identifier and label, in document order
	At    ui.Point // point of the touch
	Depth int      // maximum depth of the tree; 0 is the driver's default
	After Wait     // the look after the input; its patience is for a screen that differs from the one before

	// Method is the way in which the device sent the inputs, if it has several; otherwise empty.
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

// GuardOf is the guard of a context; an empty guard if the context has none.
func GuardOf(ctx context.Context) *Guard {
	if g, _ := ctx.Value(guardKey{}).(*Guard); g != nil {
		return g
	}
	return &Guard{}
}

// Take returns the screen seen after the input, once; nil without such a look.
func (g *Guard) Take() *ui.Screen {
	seen := g.Seen
	g.Seen = nil
	return seen
}

// TakeGuard gives the first input its guard; later inputs get nil.
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

// RefusedError says that an input was not sent, because the screen differs from its guard. Another look may help.
type RefusedError struct {
	Code  fault.Code
	Cause error
}

func (e *RefusedError) Error() string { return e.Cause.Error() }

// Unwrap gives the driver's error.
func (e *RefusedError) Unwrap() error { return e.Cause }

// Fault says that the input was not dispatched.
func (e *RefusedError) Fault() *fault.Fault {
	return fault.New(e.Code, "%w", e).WithDispatch(fault.NotDispatched)
}
