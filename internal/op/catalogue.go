package op

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/fault/nearest"
)

// Catalogue is all operations, by name. Every call of every surface passes through Run or Stream.
type Catalogue struct {
	// Toolchain is said with every answer: "xcode" or "virtual".
	Toolchain string
	// Jobs hold long operations; nil runs them like all others.
	Jobs *Jobs
	// Steps remember the calls that drive devices; nil is no memory.
	Steps *Steps
	// Lines are what apps say; nil is nothing.
	Lines Lines
	// Heard is told of every call when it is over; nil is nobody.
	Heard func(Record)
	// Log hears of panics; nil is silent.
	Log *slog.Logger
	// Holds is what ends when the daemon leaves and keeps it from leaving when it is idle, each as what is told of its end; nil is
	// nothing.
	Holds func() []string
	// Secrets are in no answer, event or item; nil hides nothing.
	Secrets *mask.Set

	ops     []Op
	byID    map[string]int
	streams context.Context // of all streams
	end     context.CancelCauseFunc
}

// Record is what is remembered of a call: what, whose, where and how it ended; never the input, which may be secret.
type Record struct {
	Time    time.Time  `json:"time"`
	Op      string     `json:"operation"`
	Session string     `json:"session"`
	Trace   string     `json:"trace,omitempty"`
	Device  *Device    `json:"device,omitempty"`
	Step    string     `json:"step,omitempty"` // show_step tells the session what came of it
	TookMS  int64      `json:"took_ms"`
	Status  string     `json:"status"`
	Code    fault.Code `json:"code,omitempty"`
}

// NewCatalogue collects operations. Two of one family and name, of one verb or of one route, and a next step that does
// not exist, are programming errors and panic.
func NewCatalogue(ops []Op) *Catalogue {
	c := &Catalogue{ops: slices.Clone(ops), byID: map[string]int{}}
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
		c.byID[o.Family+"_"+o.Name] = i
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

// leaveAliases takes bare names from operations of other families that one of ours, or an earlier one, is called by.
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

// ID names an operation in a call: its name, or its family and name where another family's has the bare name.
func (c *Catalogue) ID(o Op) string {
	if owner := c.ops[c.byID[o.Name]]; owner.Family == o.Family {
		return o.Name
	}
	return o.Family + "_" + o.Name
}

// Ops lists the operations in the order of declaration.
func (c *Catalogue) Ops() []Op { return c.ops }

// All is the word for all operations.
const All = "all"

// Sets are the words that choose several operations: families, groups and All.
func Sets(ops []Op) []string {
	all := []string{All}
	for _, o := range ops {
		all = append(append(all, o.Family), o.Groups...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Lookup finds an operation by name; hyphens are taken for underscores.
func (c *Catalogue) Lookup(name string) (Op, error) {
	if i, ok := c.byID[strings.ReplaceAll(name, "-", "_")]; ok {
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
	o, err := c.accept(name, &call, &input)
	if err == nil && o.Streams() {
		err = fault.New(fault.InvalidInput, "%s is a stream", o.Name).WithHint("read it page by page with %s", c.pages(o))
	}
	if err != nil {
		return c.finish(time.Now(), name, &call, nil, err)
	}
	work := func(ctx context.Context, call Call) Envelope {
		start := time.Now()
		out, err := c.invoke(ctx, o, &call, input)
		c.over(ctx, o, &call)
		e := c.finish(start, o.Name, &call, out, err)
		if call.step > 0 {
			c.Steps.keep(o, &call, input, start, e)
		}
		if e.Error == nil && !call.NothingNext {
			e.Meta.Next = o.Next
		}
		return e
	}
	if o.Long && c.Jobs != nil {
		return c.Jobs.run(ctx, o, call, work)
	}
	return work(ctx, call)
}

// pages is the operation that reads a stream page by page.
func (c *Catalogue) pages(stream Op) string {
	for _, o := range c.ops {
		if o.Follow == stream.Name {
			return o.Name
		}
	}
	return "read_" + stream.Name
}

// Stream runs a stream: every item goes to emit as it comes. The envelope at its end says how it ended.
func (c *Catalogue) Stream(ctx context.Context, name string, call Call, input []byte, emit func(any) error) Envelope {
	start := time.Now()
	o, err := c.accept(name, &call, &input)
	if err == nil && !o.Streams() {
		err = fault.New(fault.InvalidInput, "%s is not a stream", o.Name)
	}
	if err == nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.streams, cancel)()
		err = c.guarded(o, func() error { return o.stream(ctx, &call, input, c.hideItem(emit)) })
	}
	return c.finish(start, name, &call, struct{}{}, cmp.Or(err, context.Cause(c.streams)))
}

// EndStreams ends all streams with a reason, and those that begin later. A stream has no end of its own: whoever leaves would wait for
// its client.
func (c *Catalogue) EndStreams(why error) { c.end(why) }

// accept finds the operation, takes the session out of its input and checks its name. Input that is not UTF-8 is refused first: decoders
// would replace its bad bytes silently.
func (c *Catalogue) accept(name string, call *Call, input *[]byte) (Op, error) {
	o, err := c.Lookup(name)
	if err == nil && !utf8.Valid(*input) {
		err = fault.New(fault.InvalidInput, "%s: the input is not valid UTF-8", o.Name)
	}
	if err == nil {
		call.Session, *input = sessionOf(call.Session, *input)
		call.Instead, *input = o.insteadOf(*input)
		call.Hints, call.steps, call.lines, call.secrets, call.unheard = o.Hints, c.Steps, c.Lines, c.Secrets, o.Public
		c.Secrets.AddEnv(call.Env)
		err = cmp.Or(checkSession(call.Session), checkRequest(call.Request))
	}
	if err != nil && checkSession(call.Session) != nil {
		call.Session = "" // no answer and no record repeats it
	}
	return o, err
}

// maxSession is how many characters the name of a session may have.
const maxSession = 200

// checkSession refuses names that are long or not printable: other clients see them in lists and logs, on terminals too.
func checkSession(name string) error {
	if utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxSession && !strings.ContainsFunc(name, unprintable) {
		return nil
	}
	return fault.New(fault.InvalidInput, "%.40q is not the name of a session", name).With("field", sessionKey).
		WithHint("name the session with at most %d printable characters", maxSession)
}

// checkRequest bounds the ids that are remembered.
func checkRequest(id string) error {
	if len(id) <= maxSession && utf8.ValidString(id) && !strings.ContainsFunc(id, unprintable) {
		return nil
	}
	return fault.New(fault.InvalidInput, "the id of the request is too long or not printable").
		WithHint("use at most %d printable characters", maxSession)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func (c *Catalogue) finish(start time.Time, name string, call *Call, out any, err error) Envelope {
	meta := Meta{
		Toolchain: c.Toolchain, Session: call.Session, Device: call.Device, Step: cmp.Or(stepID(call.step), call.answered),
		TookMS: time.Since(start).Milliseconds(), Notices: inOrder(call.notices), Logs: call.Logs, Net: call.Net,
	}
	if call.Outside {
		meta.Toolchain = ""
	}
	e := legible(c.hide(wrap(out, err, meta)))
	if c.Heard != nil && !call.unheard {
		c.Heard(Record{
			Time: start.UTC(), Op: name, Session: call.Session, Trace: call.Trace, Device: call.Device, Step: meta.Step,
			TookMS: meta.TookMS, Status: e.Status, Code: codeOf(e),
		})
	}
	return e
}

func (c *Catalogue) invoke(ctx context.Context, o Op, call *Call, input []byte) (out any, err error) {
	limited, cancel := context.WithTimeout(ctx, o.Limit())
	defer cancel()
	err = c.guarded(o, func() error {
		out, err = o.invoke(limited, call, input)
		return err
	})
	f, faulty := fault.In(err)
	reason, given := fault.In(context.Cause(ctx))
	switch {
	case err == nil || faulty && f.Code != fault.Cancelled:
	case given:
		return out, reason // whoever ended it said why
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return out, fault.New(fault.Timeout, "%s did not finish within %s: %w", o.Name, o.Limit(), err)
	}
	return out, err
}

// guarded turns a panic into a fault: one broken operation must not take the daemon with it.
func (c *Catalogue) guarded(o Op, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if c.Log != nil {
				c.Log.Error("panic", "op", o.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			err = fault.New(fault.Internal, "%s: panic: %v", o.Name, p)
		}
	}()
	return fn()
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
	if r, ok := out.(Refuser); ok {
		e.Refused = r.Refused()
	}
	e.Stdout, e.Document = textOf(out, e.Result)
	if meta.Toolchain == virtual && !e.Document {
		e.Stdout = markFirstLine(e.Stdout)
	}
	if i, ok := out.(Imager); ok {
		e.Images = i.Images()
	}
	return e
}

// virtual is the toolchain whose answers must never be taken for a real device's.
const virtual = "virtual"

// textOf is the text of an output, and whether it is a document: an output without a text of its own is its JSON.
func textOf(out any, raw json.RawMessage) (text string, document bool) {
	t, ok := out.(Texter)
	if !ok {
		return string(raw), true
	}
	d, ok := out.(Documenter)
	return t.Text(), ok && d.Document()
}

const virtualMark = " [" + virtual + "]"

// markFirstLine marks a text once: one that holds other answers has their marks in it.
func markFirstLine(text string) string {
	first, rest, more := strings.Cut(unmarked(text), "\n")
	if !more {
		return first + virtualMark
	}
	return first + virtualMark + "\n" + rest
}

// unmarked is a text without marks: what stands in another answer is marked by that one.
func unmarked(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, virtualMark+"\n", "\n"), virtualMark)
}

func codeOf(e Envelope) fault.Code {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}

// sessionKey is the input every operation takes: whose session the call belongs to.
const sessionKey = "session"

// sessionOf takes the client session out of the input: an argument named session wins over the surface's own.
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

// insteadOf takes out of an input what it gives instead of defaults of the session.
func (o Op) insteadOf(input []byte) (instead map[string]string, rest []byte) {
	if !slices.ContainsFunc(o.Short, func(s Short) bool {
		return s.Default != "" && bytes.Contains(input, []byte(`"`+s.Default+`"`))
	}) {
		return nil, input
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return nil, input
	}
	instead = map[string]string{}
	for _, s := range o.Shorts() {
		raw, is := given[s.Default]
		if s.Default == "" || !is {
			continue
		}
		if delete(given, s.Default); string(raw) != "null" {
			instead[s.Default] = scalar(raw)
		}
	}
	rest, err := json.Marshal(given)
	if err != nil {
		return nil, input
	}
	return instead, rest
}
