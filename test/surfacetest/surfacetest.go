// Package surfacetest is a catalogue for the tests of the surfaces: one operation of each kind, without any that uses a device. New makes a
// World with the catalogue. A test of a surface then needs neither a process nor a simulator.
package surfacetest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

// World is what the operations work on.
type World struct {
	Catalogue *op.Catalogue
	Jobs      *op.Jobs
	Ticks     *feed.Ring[Tick]
	Waiting   chan struct{}  // hears of each call of wait_here that has begun
	Release   chan struct{}  // closed to let those calls end
	Gone      chan error     // hears why a call of wait_here ended without being released
	Heard     chan op.Record // of each finished call; records beyond the buffer are dropped
}

// Tick is an item of the stream.
type Tick struct {
	N int `json:"n"`
}

// New makes the catalogue. Long operations become jobs at once when jobAfter is 0.
func New(jobAfter time.Duration) *World {
	w := &World{
		Jobs: &op.Jobs{After: jobAfter, Keep: time.Minute}, Ticks: feed.NewRing[Tick](100),
		Waiting: make(chan struct{}, 10), Release: make(chan struct{}), Gone: make(chan error, 10),
		Heard: make(chan op.Record, 100),
	}
	w.Catalogue = op.NewCatalogue(append(w.ops(), w.Jobs.Ops()...),
		op.Options{Toolchain: "virtual", Mark: " [virtual]", Jobs: w.Jobs, Observers: []op.Observer{op.Ended(w.heard)}})
	return w
}

func (w *World) heard(_ context.Context, x *op.Exchange) {
	select {
	case w.Heard <- x.Record():
	default:
	}
}

// Caller runs the operations in this process.
func (w *World) Caller(session string) op.Caller {
	return op.Local{Catalogue: w.Catalogue, Session: session, Dir: "/project"}
}

func (w *World) ops() []op.Op {
	text := []string{"text"}
	all := []op.Op{
		op.New(op.Spec{Name: "say_it", Groups: text, Verb: "say", Route: "POST /api/v1/say", Summary: "Say a text",
			Help:    "More about saying.",
			Default: true, Next: []string{"show_thing"}, Examples: []string{"say hello --times 2"}}, say),
		op.New(op.Spec{Name: "show_thing", Groups: []string{"thing"}, Verb: "thing show", Route: "GET /api/v1/things/{id}",
			Summary: "Show a thing",
			Hints:   op.ReadOnly | op.Idempotent, Exclude: [][]string{{"deep", "names"}}}, show),
		op.New(op.Spec{Name: "fail_with", Groups: text, Verb: "fail", Route: "POST /api/v1/fail", Summary: "Fail with a code"}, fail),
		op.New(op.Spec{Name: "wipe_all", Groups: text, Verb: "wipe", Route: "DELETE /api/v1/all", Summary: "Wipe everything",
			Hints: op.Destructive}, wipe),
		op.New(op.Spec{Name: "take_picture", Groups: text, Verb: "picture", Route: "GET /api/v1/picture", Summary: "Take a picture",
			REST:  op.REST{Picture: true},
			Hints: op.ReadOnly, Default: true}, picture),
		op.New(op.Spec{Name: "load_file", Groups: text, Verb: "load", Route: "GET /api/v1/file", Summary: "Load a file",
			REST: op.REST{Download: true}, Hints: op.ReadOnly}, func(context.Context, *op.Call, struct{}) (op.Download, error) {
			return op.Download{Name: "a.bin", MIME: "application/x-test", Data: "AAEC/w=="}, nil
		}),
		op.New(op.Spec{Name: "pick_one", Groups: text, Verb: "pick", Route: "POST /api/v1/pick", Summary: "Pick one of several",
			REST: op.REST{AsksBack: true}}, pick),
		op.New(op.Spec{Name: "show_call", Groups: text, Verb: "show-call", Summary: "Show what came with the call", Hints: op.ReadOnly},
			showCall),
		op.New(op.Spec{Name: "be_there", Groups: text, Verb: op.None, Route: "GET /health", Summary: "Be there",
			Hints: op.ReadOnly, REST: op.REST{Public: true}},
			func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil }),
		op.New(op.Spec{Name: "panic_now", Groups: text, Route: "POST /api/v1/panic", Summary: "Panic"}, panics),
		op.New(op.Spec{Name: "read_stdin", Groups: text, Verb: "read-stdin", Summary: "Read stdin in this process", Offline: true},
			readStdin),
		op.New(op.Spec{Name: "wait_here", Groups: text, Verb: "wait-here", Route: "POST /api/v1/wait", Summary: "Wait to be released"},
			w.wait),
		op.New(op.Spec{Name: "work_long", Groups: text, Verb: "work", Route: "POST /api/v1/work", Summary: "Work for long", Long: true},
			w.work),
		op.New(op.Spec{Family: "other", Name: "say_it", Groups: text, Verb: "other say", Route: "POST /other/say",
			Summary: "Say a text as others do"}, say),
	}
	return append(all, op.NewStream(op.Spec{Name: "watch_ticks", Groups: text, Verb: "ticks", Route: "GET /api/v1/ticks",
		Summary: "Watch ticks",
		Hints:   op.ReadOnly}, w.ticks)...)
}

type sayIn struct {
	Text  string   `json:"text" doc:"what to say" cli:"arg"`
	Times int      `json:"times,omitempty" doc:"how often" default:"1" min:"1" max:"9"`
	Loud  bool     `json:"loud,omitempty" doc:"in capitals"`
	Mood  string   `json:"mood,omitempty" doc:"how it is said" enum:"calm,wild"`
	Tags  []string `json:"tags,omitempty" doc:"words that go with it"`
	File  op.Path  `json:"out_file,omitempty" doc:"where to write it"`
}

type sayOut struct {
	Said    string   `json:"said"`
	Session string   `json:"session"`
	Tags    []string `json:"tags,omitempty"`
	File    string   `json:"file,omitempty"`
}

func (o sayOut) Text() string { return "said " + o.Said }

func say(_ context.Context, c *op.Call, in sayIn) (sayOut, error) {
	said := strings.TrimSpace(strings.Repeat(in.Text+" ", in.Times))
	if in.Loud {
		said = strings.ToUpper(said)
	}
	c.Device = &op.Device{UDID: "D1", Name: "Sample"}
	c.Report(op.Event{Message: "half said", Done: 1, Total: 2})
	return sayOut{said, c.Session, in.Tags, string(in.File)}, nil
}

type showIn struct {
	ID    string   `json:"id" doc:"which thing" cli:"arg"`
	Deep  bool     `json:"deep,omitempty" doc:"all of it"`
	Count int      `json:"count,omitempty" doc:"how many" min:"1"`
	Names []string `json:"names,omitempty" doc:"only these"`
}

func show(_ context.Context, _ *op.Call, in showIn) (showIn, error) { return in, nil }

type failIn struct {
	Code string `json:"code,omitempty" doc:"the fault's code" cli:"arg"`
	Keep bool   `json:"keep,omitempty" doc:"answer with a result all the same"`
}

// failOut stands for a fault although it is a result, as an action whose outcome is unknown does.
type failOut struct {
	Seen  string `json:"seen"`
	fault *fault.Fault
}

func (o failOut) Fault() *fault.Fault { return o.fault }

func fail(_ context.Context, _ *op.Call, in failIn) (failOut, error) {
	f := fault.New(cmp.Or(fault.Code(in.Code), fault.ToolFailed), "it was to fail").WithHint("do not ask for it").With("asked", in.Code)
	if in.Keep {
		return failOut{"something", f}, nil
	}
	return failOut{}, f
}

type nothing struct{}

func wipe(context.Context, *op.Call, nothing) (nothing, error) { return nothing{}, nil }

type pictureOut struct {
	Width int `json:"width"`
}

// Pixels is what take_picture answers with.
const Pixels = "\x89PNG, or so"

func (pictureOut) Images() []op.Image { return []op.Image{{MIME: "image/png", Data: []byte(Pixels)}} }

func picture(context.Context, *op.Call, nothing) (pictureOut, error) { return pictureOut{7}, nil }

func pick(context.Context, *op.Call, nothing) (nothing, error) {
	return nothing{}, fault.New(fault.ElementAmbiguous, "2 of them fit").With("candidates", []string{"a", "b"})
}

// CallOut is what show_call answers with.
type CallOut struct {
	Session string            `json:"session"`
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env"`
	Traced  bool              `json:"traced"`
	Parent  string            `json:"parent,omitempty"`
}

func showCall(_ context.Context, c *op.Call, _ nothing) (CallOut, error) {
	return CallOut{c.Session, c.Dir, c.Env, c.Trace != "", c.Parent}, nil
}

func panics(context.Context, *op.Call, nothing) (nothing, error) { panic("on purpose") }

func readStdin(_ context.Context, c *op.Call, _ nothing) (sayOut, error) {
	raw, err := io.ReadAll(c.Stdin)
	return sayOut{Said: string(raw), Session: c.Session, File: c.Dir}, err
}

func (w *World) wait(ctx context.Context, c *op.Call, _ nothing) (sayOut, error) {
	c.Progress("waiting")
	w.Waiting <- struct{}{}
	select {
	case <-w.Release:
		return sayOut{Said: "released", Session: c.Session}, nil
	case <-ctx.Done():
		w.Gone <- ctx.Err()
		return sayOut{}, ctx.Err()
	}
}

type workIn struct {
	Fail bool `json:"fail,omitempty" doc:"fail in the end"`
}

func (w *World) work(_ context.Context, c *op.Call, in workIn) (sayOut, error) {
	for n := range 3 {
		c.Report(op.Event{Message: fmt.Sprintf("step %d", n+1), Done: float64(n + 1), Total: 3})
	}
	if in.Fail {
		return sayOut{}, fault.New(fault.PathError, "there is nothing to work on")
	}
	return sayOut{Said: "worked", Session: c.Session}, nil
}

type ticksIn struct {
	Above int `json:"above,omitempty" doc:"only ticks above this"`
}

// ticks begins with the first tick, so that a test need not wait until somebody watches.
func (w *World) ticks(ctx context.Context, _ *op.Call, in ticksIn, at op.Cursor) (op.Page[Tick], error) {
	at.After = cmp.Or(at.After, op.Beginning)
	return w.Ticks.Read(ctx, at, func(t Tick) bool { return t.N > in.Above })
}
