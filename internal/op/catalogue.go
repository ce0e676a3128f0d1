package op

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/oneline"
)

// Catalogue has all operations, by name. Every call of every surface goes through Run or Stream.
type Catalogue struct {
	o       Options
	ops     []Op
	byID    map[string]int
	streams context.Context // EndStreams ends it, and with it all streams
	end     context.CancelCauseFunc
	calls   atomic.Int64 // number of calls
}

// Options configure a catalogue. The zero value is enough to call operations.
type Options struct {
	// Toolchain is part of every answer, unless its call was Outside.
	Toolchain string
	// Mark is appended to the first line of every text of the toolchain. Empty: no mark.
	Mark string
	// Jobs runs long operations as jobs; nil means that they run like all others.
	Jobs *Jobs
	// Secrets are hidden in all answers, events and items; nil hides nothing.
	Secrets *mask.Set
	// Keep stores the whole of answers that are cut; nil stores nothing.
	Keep Keeper
	// Log gets the panics; nil: no log.
	Log *slog.Logger
	// Observers see every call begin and end, except calls of Public operations without a key: strangers must not fill the records. They run
	// in this order, so observers that add to an answer come before observers that record it.
	Observers []Observer
}

// Record is the result of Exchange.Record.
type Record struct {
	Time    time.Time  `json:"time"`
	Op      string     `json:"operation"`
	Session string     `json:"session"`
	Trace   string     `json:"trace,omitempty"`
	Device  *Device    `json:"device,omitempty"`
	Step    string     `json:"step,omitempty"` // show_step shows the session the result of the call
	TookMS  int64      `json:"took_ms"`
	Status  string     `json:"status"`
	Code    fault.Code `json:"code,omitempty"`
}

// NewCatalogue collects operations. It panics on programming errors: two operations with the same family and name, the same verb or the
// same route, and a next step that does not exist.
func NewCatalogue(ops []Op, o Options) *Catalogue {
	c := &Catalogue{o: o, ops: slices.Clone(ops), byID: map[string]int{}}
	c.streams, c.end = context.WithCancelCause(context.Background())
	leaveAliases(c.ops)
	taken := map[string]string{}
	for i, o := range c.ops {
		keys := []string{"name " + o.Family + "." + o.Name, "verb " + o.Verb, "route " + o.Route}
		for _, route := range o.Also {
			keys = append(keys, "route "+route)
		}
		for _, key := range keys {
			if strings.HasSuffix(key, " ") {
				continue
			}
			if other, ok := taken[key]; ok {
				panic(fmt.Sprintf("op: %s is declared by %s and %s", key, other, o.Name))
			}
			taken[key] = o.Name
		}
		c.byID[o.FullName()] = i
		if _, first := c.byID[o.Name]; !first || o.Family == Core {
			c.byID[o.Name] = i
		}
	}
	for _, o := range ops {
		for _, next := range o.Next {
			if _, ok := c.byID[next]; !ok {
				panic(fmt.Sprintf("op %s: the next step %s does not exist", o.Name, next))
			}
		}
	}
	return c
}

// leaveAliases removes aliases from operations of other families that name a core operation or an earlier one.
func leaveAliases(ops []Op) {
	taken := map[string]bool{}
	for _, o := range ops {
		if o.Family == Core && o.Verb != "" {
			for _, word := range append(o.Aliases, o.Verb) {
				taken[word] = true
			}
		}
	}
	for i := range ops {
		if o := &ops[i]; o.Family != Core {
			o.Aliases = slices.DeleteFunc(slices.Clone(o.Aliases), func(word string) bool { return taken[word] })
			for _, word := range o.Aliases {
				taken[word] = true
			}
		}
	}
}

// Called reports whether the words are the operation's verb or one of its aliases.
func (o Op) Called(words string) bool {
	return o.Verb != "" && (o.Verb == words || slices.Contains(o.Aliases, words))
}

// ID returns the name of an operation for a call. It is the bare name or, where the bare name belongs to another family, the family and the
// name.
func (c *Catalogue) ID(o Op) string {
	if owner := c.ops[c.byID[o.Name]]; owner.Family == o.Family {
		return o.Name
	}
	return o.Family + "_" + o.Name
}

// Toolchain is the toolchain that the answers name.
func (c *Catalogue) Toolchain() string { return c.o.Toolchain }

// Jobs returns the jobs of long operations; nil without jobs.
func (c *Catalogue) Jobs() *Jobs { return c.o.Jobs }

// Ops lists the operations in the order of declaration.
func (c *Catalogue) Ops() []Op { return c.ops }

// All is the word that chooses all operations.
const All = "all"

// Sets returns the words that choose several operations: families, groups and All.
func Sets(ops []Op) []string {
	all := []string{All}
	for _, o := range ops {
		all = append(append(all, o.Family), o.Groups...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Lookup finds an operation by its name, with underscores or hyphens.
func (c *Catalogue) Lookup(name string) (Op, error) {
	if i, ok := c.byID[strings.ReplaceAll(name, "-", "_")]; ok {
		return c.ops[i], nil
	}
	ids := make([]string, len(c.ops))
	for i, o := range c.ops {
		ids[i] = c.ID(o)
	}
	f := fault.New(fault.UnknownOperation, "unknown operation %q", name)
	for _, o := range c.ops {
		if verb := strings.ReplaceAll(name, "_", "-"); o.Called(verb) || o.Called(strings.ReplaceAll(verb, "-", " ")) {
			return Op{}, f.WithHint("did you mean %s?", hint.Do(c.ID(o)))
		}
	}
	if near := nearest.To(name, ids, 3); len(near) > 0 {
		for i, id := range near {
			near[i] = hint.Do(id)
		}
		return Op{}, f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return Op{}, f
}

// Run calls an operation and wraps the outcome: an answer, a fault, a panic or a deadline. A result that stands for a fault, such as an
// action with an unknown outcome, is in the envelope too.
func (c *Catalogue) Run(ctx context.Context, name string, call Call, input []byte) Envelope {
	x, err := c.begin(&Exchange{Name: name, Call: &call, input: input})
	if err == nil && x.Op.Streams() {
		err = fault.New(fault.InvalidInput, "%s is a stream", x.Name).WithHint("read it page by page with %s", c.pages(*x.Op))
	}
	switch {
	case err != nil:
		return x.end(ctx, c.answer(x, nil, err))
	case x.Op.Long && c.o.Jobs != nil:
		return c.o.Jobs.run(ctx, x)
	}
	return c.perform(ctx, x)
}

// perform calls the operation's function and ends its watches.
func (c *Catalogue) perform(ctx context.Context, x *Exchange) Envelope {
	out, err := c.invoke(ctx, *x.Op, x.Call, x.input)
	return x.end(ctx, c.answer(x, out, err))
}

// pages returns the name of the operation that reads a stream page by page.
func (c *Catalogue) pages(stream Op) string {
	for _, o := range c.ops {
		if o.Follow == stream.Name {
			return o.Name
		}
	}
	return "read_" + stream.Name
}

// Stream runs a stream: emit gets each item when it comes. The envelope is the outcome of the whole stream.
func (c *Catalogue) Stream(ctx context.Context, name string, call Call, input []byte, emit func(any) error) Envelope {
	x, err := c.begin(&Exchange{Name: name, Call: &call, Mode: Stream, input: input})
	if err == nil && !x.Op.Streams() {
		err = fault.New(fault.InvalidInput, "%s is not a stream", x.Name)
	}
	if err == nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.streams, cancel)()
		err = c.guarded(x.Name, func() error { return x.Op.stream(ctx, &call, x.input, c.hideItem(emit)) })
	}
	return x.end(ctx, c.answer(x, struct{}{}, cmp.Or(err, context.Cause(c.streams))))
}

// EndStreams ends all streams with a reason, also streams that begin later. Streams do not end by themselves, so a daemon that exits would
// otherwise wait for its clients.
func (c *Catalogue) EndStreams(why error) { c.end(why) }

// answer makes the envelope of a call, without secrets.
func (c *Catalogue) answer(x *Exchange, out any, err error) (e Envelope) {
	call, marks := x.Call, mark(c.o.Mark)
	meta := Meta{
		Toolchain: c.o.Toolchain, Session: call.Session, Device: call.Device, Step: cmp.Or(x.step, x.answered),
		TookMS: time.Since(x.Began).Milliseconds(), Notices: inOrder(call.notices),
	}
	if call.Outside {
		meta.Toolchain, marks = "", ""
	}
	if broken := c.guarded(x.Name, func() error { e = wrap(out, err, meta, marks); return nil }); broken != nil {
		e = Failed(broken, meta) // the output's Text panicked
	}
	if e.Error != nil && x.Op != nil {
		e.Error = x.Op.advised(e.Error)
	}
	e = c.bounded(x, legible(c.hide(e)))
	if e.Error == nil && !call.NothingNext && x.Mode != Stream {
		e.Meta.Next = slices.DeleteFunc(slices.Clone(x.Op.Next), func(name string) bool { return slices.Contains(call.NotNext, name) })
	}
	return e
}

func (c *Catalogue) invoke(ctx context.Context, o Op, call *Call, input []byte) (out any, err error) {
	limited, cancel := context.WithTimeout(ctx, o.Limit())
	defer cancel()
	err = c.guarded(o.Name, func() error {
		out, err = o.invoke(limited, call, input)
		return err
	})
	f, faulty := fault.In(err)
	reason, given := fault.In(context.Cause(ctx))
	switch {
	case err == nil || faulty && f.Code != fault.Cancelled:
	case given:
		return out, reason // the reason for the end becomes the fault
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return out, fault.New(fault.Timeout, "%s did not finish within %s: %w", o.Name, o.Limit(), err)
	}
	return out, err
}

// guarded turns a panic into a fault, so that one broken operation does not end the daemon.
func (c *Catalogue) guarded(name string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if c.o.Log != nil {
				c.o.Log.Error("panic", "op", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			err = fault.New(fault.Internal, "%s: panic: %v", name, p)
		}
	}()
	return fn()
}

// judged is an output that may stand for a fault although the call itself worked.
type judged interface{ Fault() *fault.Fault }

func wrap(out any, err error, meta Meta, m mark) Envelope {
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
	if r, ok := out.(Refuser); ok {
		e.Refused = r.Refused()
	}
	e.Stdout, e.Document = textOf(out, e.Result)
	if !e.Document {
		e.Stdout = m.on(e.Stdout)
	}
	if i, ok := out.(Imager); ok {
		e.Images = slices.Clone(i.Images())
		for n := range e.Images {
			e.Images[n].About = oneline.Of(e.Images[n].About)
		}
	}
	return e
}

// textOf returns the text of an output, and whether it is a document. The text of an output that is not a Texter is its JSON.
func textOf(out any, raw json.RawMessage) (text string, document bool) {
	t, ok := out.(Texter)
	if !ok {
		return string(raw), true
	}
	d, ok := out.(Documenter)
	return oneline.Draw(t, Texter.Text), ok && d.Document()
}

// mark is appended to the first line of a text; an empty mark changes nothing.
type mark string

// on marks a text once. It first removes the marks of other answers that the text contains.
func (m mark) on(text string) string {
	first, rest, more := strings.Cut(m.off(text), "\n")
	if !more {
		return first + string(m)
	}
	return first + string(m) + "\n" + rest
}

// off removes the marks from a text that becomes a part of another answer, which has its own mark.
func (m mark) off(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, string(m)+"\n", "\n"), string(m))
}

func codeOf(e Envelope) fault.Code {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}
