package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/nearest"
)

// Catalogue is all operations, by name. Every call of every surface passes through Run.
type Catalogue struct {
	// Toolchain is said with every answer: "xcode" or "virtual".
	Toolchain string
	// Log hears of every call; nil is silent.
	Log *slog.Logger
	// Now is the clock; nil is the real one.
	Now func() time.Time

	ops    []Op
	byName map[string]int
}

// NewCatalogue collects operations. Two of one name, verb or route are a mistake of ours and panic.
func NewCatalogue(ops []Op) *Catalogue {
	c := &Catalogue{ops: ops, byName: map[string]int{}}
	taken := map[string]string{}
	for i, o := range ops {
		for _, key := range []string{"name " + o.Name, "verb " + o.Verb, "route " + o.Route} {
			if strings.HasSuffix(key, " ") {
				continue
			}
			if other, ok := taken[key]; ok {
				panic(fmt.Sprintf("op: %s is declared by %s and %s", key, other, o.Name))
			}
			taken[key] = o.Name
		}
		c.byName[o.Name] = i
	}
	return c
}

// Ops lists the operations in the order of declaration.
func (c *Catalogue) Ops() []Op { return c.ops }

// Lookup finds an operation by name; hyphens are taken for underscores.
func (c *Catalogue) Lookup(name string) (Op, error) {
	if i, ok := c.byName[strings.ReplaceAll(name, "-", "_")]; ok {
		return c.ops[i], nil
	}
	names := make([]string, len(c.ops))
	for i, o := range c.ops {
		names[i] = o.Name
	}
	f := fault.New(fault.UnknownOperation, "there is no operation %q", name)
	if near := nearest.To(name, names, 3); len(near) > 0 {
		return Op{}, f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return Op{}, f
}

// Run calls an operation and wraps whatever comes of it: an answer, a fault, a panic or a deadline. A result that
// itself stands for a fault (an action whose outcome is unknown) is returned beside it.
func (c *Catalogue) Run(ctx context.Context, name string, call Call, input []byte) Envelope {
	start := c.now()
	call.Session, input = sessionOf(call.Session, input)
	out, err := c.invoke(ctx, name, &call, input)
	meta := Meta{Toolchain: c.Toolchain, Session: call.Session, Device: call.Device, TookMS: c.now().Sub(start).Milliseconds()}
	e := wrap(out, err, meta)
	if c.Log != nil {
		c.Log.Info("call", "op", name, "session", call.Session, "trace", call.Trace, "took_ms", meta.TookMS, "status", e.Status, "code", codeOf(e))
	}
	return e
}

func (c *Catalogue) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Catalogue) invoke(ctx context.Context, name string, call *Call, input []byte) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			if c.Log != nil {
				c.Log.Error("panic", "op", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			err = fault.New(fault.Internal, "%s: panic: %v", name, p)
		}
	}()
	o, err := c.Lookup(name)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, o.Limit())
	defer cancel()
	out, err = o.invoke(limited, call, input)
	var f *fault.Fault
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &f) && ctx.Err() == nil {
		return out, fault.New(fault.Timeout, "%s did not finish within %s: %w", o.Name, o.Limit(), err)
	}
	return out, err
}

// judged is an output that may stand for a fault although the call itself worked.
type judged interface{ Fault() *fault.Fault }

func wrap(out any, err error, meta Meta) Envelope {
	if err != nil {
		return Failed(err, meta)
	}
	e := Succeeded(out, meta)
	if e.Error != nil {
		return e
	}
	if j, ok := out.(judged); ok {
		if f := j.Fault(); f != nil {
			e.Status, e.Error = Failure, f
		}
	}
	e.Stdout = textOf(out, e.Result)
	if meta.Toolchain == virtual {
		e.Stdout = markFirstLine(e.Stdout)
	}
	if i, ok := out.(Imager); ok {
		e.Images = i.Images()
	}
	return e
}

// virtual is the toolchain whose answers must never be taken for a real device's.
const virtual = "virtual"

func textOf(out any, raw json.RawMessage) string {
	if t, ok := out.(Texter); ok {
		return t.Text()
	}
	return string(raw)
}

func markFirstLine(text string) string {
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return first + " [" + virtual + "]"
	}
	return first + " [" + virtual + "]\n" + rest
}

func codeOf(e Envelope) fault.Code {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}

// sessionKey is the input every operation takes: whose session the call belongs to.
const sessionKey = "session"

// sessionOf takes the client session out of the input: an argument named session wins over the surface's own idea.
func sessionOf(session string, input []byte) (string, []byte) {
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return session, input
	}
	raw, ok := given[sessionKey]
	if !ok {
		return session, input
	}
	delete(given, sessionKey)
	rest, err := json.Marshal(given)
	if err != nil {
		return session, input
	}
	if s := scalar(raw); s != "" && s != "null" {
		session = s
	}
	return session, rest
}
