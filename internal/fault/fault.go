// Package fault defines the errors that a caller can act on: code, message, hint and details. A Fault has a Code that never changes, a
// message that names the thing, a hint what to do next, and details for programs. Every surface (CLI, REST, MCP) renders the same Fault;
// the table in codes.go gives the exit code, the HTTP status and the usual hint of each code. From makes a Fault of any error, so that no
// error reaches a caller without a code.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Dispatch says whether the input behind a failed action reached the device.
type Dispatch string

// A caller may repeat an action that was not sent. It must look at the screen before it repeats an action that was sent, or may have been.
const (
	NotDispatched   Dispatch = "no"
	Dispatched      Dispatch = "yes"
	MaybeDispatched Dispatch = "unknown"
)

// Fault is an error a caller can act on. Its JSON form is the same on every surface.
type Fault struct {
	Code       Code           `json:"code"`
	Message    string         `json:"message"`
	Hint       string         `json:"hint,omitempty"`
	Details    map[string]any `json:"details,omitempty"`
	Dispatched Dispatch       `json:"dispatched,omitempty"`

	cause error
}

// New makes a fault with the code's usual hint. The format works like fmt.Errorf's, %w included.
func New(code Code, format string, args ...any) *Fault {
	err := fmt.Errorf(format, args...)
	return &Fault{Code: code, Message: err.Error(), Hint: code.Hint(), cause: errors.Unwrap(err)}
}

// Error gives the message; the code and hint are for renderers.
func (f *Fault) Error() string { return f.Message }

// Unwrap gives the error behind the fault, if any.
func (f *Fault) Unwrap() error { return f.cause }

// WithHint replaces the code's usual hint.
func (f *Fault) WithHint(format string, args ...any) *Fault {
	c := *f
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// With adds one detail.
func (f *Fault) With(key string, value any) *Fault {
	c := *f
	c.Details = maps.Clone(f.Details)
	if c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value
	return &c
}

// Said returns the fault with its message, its hint and the texts of its details as a surface words them.
func (f *Fault) Said(say func(text string) string) *Fault {
	c := *f
	c.Message, c.Hint, c.Details = say(f.Message), say(f.Hint), maps.Clone(f.Details)
	for name, value := range c.Details {
		switch value := value.(type) {
		case string:
			c.Details[name] = say(value)
		case []string:
			said := make([]string, len(value))
			for i := range value {
				said[i] = say(value[i])
			}
			c.Details[name] = said
		}
	}
	return &c
}

// Within returns the fault with a message that begins with the work that failed.
func (f *Fault) Within(what string) *Fault {
	c := *f
	c.Message, c.cause = what+": "+f.Message, f
	return &c
}

// WithDispatch says whether the input reached the device.
func (f *Fault) WithDispatch(d Dispatch) *Fault {
	c := *f
	c.Dispatched = d
	return &c
}

// Typed is an error that its package distinguishes by its type. Callers outside get its Fault, whose cause is the error itself, so that
// errors.As still finds the type.
type Typed interface {
	error
	Fault() *Fault
}

// Fault returns the fault itself, which makes a fault a Typed error too.
func (f *Fault) Fault() *Fault { return f }

// In gives the outermost fault in err's chain, or the fault of the outermost typed error, whichever comes first.
func In(err error) (*Fault, bool) {
	if t, ok := errors.AsType[Typed](err); ok {
		return t.Fault(), true
	}
	return nil, false
}

// From returns the fault in err's chain. An error without a fault becomes TIMEOUT, CANCELLED, the fault of OfDisk, or INTERNAL: no error
// reaches a caller without a code.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := In(err); ok {
		return f
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return New(Timeout, "ran out of time: %w", err)
	case errors.Is(err, context.Canceled):
		return New(Cancelled, "cancelled: %w", err)
	}
	if f, ok := OfDisk(err); ok {
		return f
	}
	return New(Internal, "%w", err)
}

// Is reports whether err carries a fault of this code.
func Is(err error, code Code) bool {
	f, ok := In(err)
	return ok && f.Code == code
}

// During makes a fault of err whose message begins with the work that failed. The fault keeps the code, hint, details and dispatch of err's
// fault.
func During(what string, err error) *Fault {
	f := *From(err)
	f.Message, f.cause = what+": "+err.Error(), err
	return &f
}
