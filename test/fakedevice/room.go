package fakedevice

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Room runs the operations of a room as a session does.
type Room struct {
	T    testing.TB
	Call op.Call // of every operation: its session is "a"

	catalogue *op.Catalogue
}

// Open makes the operations ready to be called; the observers watch the calls. The steps that usually follow an operation in another room
// are left out.
func Open(t testing.TB, ops []op.Op, observers ...op.Observer) *Room {
	alone := slices.Clone(ops)
	for i := range alone {
		alone[i].Next = slices.DeleteFunc(slices.Clone(alone[i].Next), func(next string) bool {
			return !slices.ContainsFunc(ops, func(o op.Op) bool { return o.Name == next })
		})
	}
	return &Room{T: t, Call: op.Call{Session: "a"}, catalogue: op.NewCatalogue(alone, op.Options{Observers: observers})}
}

// Run calls an operation with a JSON text.
func (r *Room) Run(name, input string) op.Envelope {
	r.T.Helper()
	return r.By(r.Call, name, input)
}

// As is Run for another session.
func (r *Room) As(session, name, input string) op.Envelope {
	r.T.Helper()
	return r.By(op.Call{Session: session}, name, input)
}

// By is Run for any caller.
func (r *Room) By(call op.Call, name, input string) op.Envelope {
	r.T.Helper()
	return r.catalogue.Run(r.T.Context(), name, call, []byte(input))
}

// Must calls an operation that has to work, and reads its result.
func (r *Room) Must(name, input string, into any) op.Envelope {
	r.T.Helper()
	e := r.Run(name, input)
	if e.Error != nil {
		r.T.Fatalf("%s %s: got the fault %s %q (hint %q), want an answer", name, input, e.Error.Code, e.Error.Message, e.Error.Hint)
	}
	if into != nil {
		reflect.ValueOf(into).Elem().SetZero() // what an earlier answer had is not this one's
		if err := json.Unmarshal(e.Result, into); err != nil {
			r.T.Fatalf("%s: the result %s is not what it must be: %v", name, e.Result, err)
		}
	}
	return e
}

// Result is the result of an operation that has to work.
func (r *Room) Result(name, input string) (out map[string]any) {
	r.T.Helper()
	r.Must(name, input, &out)
	return out
}

// Says calls an operation that has to work with this text.
func (r *Room) Says(name, input, want string) {
	r.T.Helper()
	e := r.Run(name, input)
	if e.Error != nil {
		r.T.Errorf("%s %s: got the fault %s: %s, want %q", name, input, e.Error.Code, e.Error.Message, want)
	} else if e.Stdout != want {
		r.T.Errorf("%s %s: got the text %q, want %q", name, input, e.Stdout, want)
	}
}

// Refused calls an operation that has to fail with a code, and with each text in its message or hint.
func (r *Room) Refused(name, input string, code fault.Code, says ...string) *fault.Fault {
	r.T.Helper()
	return WantFault(r.T, name+" "+input, r.Run(name, input).Error, code, says...)
}

// WantFault checks the code of a fault, and words in its message or hint.
func WantFault(t testing.TB, what string, got *fault.Fault, code fault.Code, words ...string) *fault.Fault {
	t.Helper()
	if got == nil {
		t.Errorf("%s: got no fault, want %s", what, code)
		return &fault.Fault{}
	}
	if got.Code != code {
		t.Errorf("%s: got %s: %s, want %s", what, got.Code, got.Message, code)
	}
	for _, w := range words {
		if !strings.Contains(got.Message+"\n"+got.Hint, w) {
			t.Errorf("%s: got the message %q and the hint %q, want %q in one", what, got.Message, got.Hint, w)
		}
	}
	return got
}
