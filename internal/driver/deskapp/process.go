package deskapp

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/ui"
)

// process is one process as a device. Only the holder of its lane calls its methods, except Close, Info, Gone and Screenshot.
type process struct {
	identity
	driver *Driver
	ears   *ears
	names  desktop.Names
	app    desktop.App
	one    *device.Lane // one caller at a time calls the app

	mu    sync.Mutex
	shown bool   // it has shown a window
	stale bool   // an action came after the last look
	seen  *look  // the last look, or nil
	focus string // the key of the element that the driver focused
}

var (
	_ device.Device      = (*process)(nil)
	_ device.Eyes        = (*process)(nil)
	_ device.Running     = (*process)(nil)
	_ device.EndReporter = (*process)(nil)
	_ device.Mortal      = (*process)(nil)
	_ desktop.Process    = (*process)(nil)
)

func newProcess(d *Driver, who identity, app desktop.App) *process {
	return &process{identity: who, driver: d, ears: listen(app, d.Clock), app: app, one: device.NewLane()}
}

// Info describes the process.
func (p *process) Info() device.Info { return p.info() }

// Driver is the driver's name.
func (p *process) Driver() string { return p.driver.Name() }

// Gone reports whether the process has ended.
func (p *process) Gone() bool { return !processes.Alive(p.pid, p.start) }

// Close leaves the process running.
func (p *process) Close() error {
	p.ears.close()
	return p.app.Close()
}

// Running is the process itself, by its name.
func (p *process) Running(context.Context) (map[string]int, error) {
	if p.Gone() {
		return map[string]int{}, nil
	}
	return map[string]int{p.name: p.pid}, nil
}

// Ended says how the process has ended, which only the parent knows. An exit with any code is the app's own; a signal is not.
func (p *process) Ended(ctx context.Context, _ string, _ time.Time) (device.End, error) {
	if !p.Gone() {
		return device.End{}, nil
	}
	end := device.End{Own: true, Reason: "how it ended is unknown, because ios-agent did not launch it", Hint: startAgain}
	if p.driver.Programs == nil {
		return end, nil
	}
	st, known := p.driver.Programs.Ended(ctx, p.pid)
	switch {
	case !known:
		return end, nil
	case st.Signal != "":
		end.Own, end.Reason = false, "it was ended by "+st.Signal
	case st.Exit != nil:
		end.Reason = fmt.Sprintf("it exited with code %d", *st.Exit)
	}
	end.Logs = st.LastLines(fewLines)
	return end, nil
}

// fewLines is enough to see the last output of a program.
const fewLines = 8

// Seen is the tree of the last look.
func (p *process) Seen() *desktop.Tree {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		return nil
	}
	return p.seen.tree
}

// Node is the element with an id in the last look.
func (p *process) Node(id string) *desktop.Node {
	tree := p.Seen()
	if tree == nil {
		return nil
	}
	return tree.ByKey(p.names.Key(id))
}

// Performer performs actions on the process, one at a time.
func (p *process) Performer() desktop.Performer {
	return desktop.Performer{App: inTurn{p}, Methods: p.driver.desktop.Methods()}
}

// call makes one call of the app, if the process lives and is not stopped.
func (p *process) call(ctx context.Context, fn func(desktop.App) error) error {
	if err := p.answers(); err != nil {
		return err
	}
	return p.explain(p.one.Do(ctx, func() error { return fn(p.app) }))
}

// act is call for an input. If the process ends during the input, the input arrived: the look after it reports the end.
func (p *process) act(ctx context.Context, fn func(desktop.App) error) error {
	if err := p.answers(); err != nil {
		return err
	}
	p.stir()
	err := p.one.Do(ctx, func() error { return fn(p.app) })
	if err != nil && p.Gone() {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(fault.OutcomeUnknown, "%s did not answer to the input: %w", p.name, err).WithDispatch(fault.MaybeDispatched)
	}
	return err
}

// stir records an action: the last look is out of date, even without an event.
func (p *process) stir() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = true
}

// inTurn gives other packages the app of a process: every call waits for its turn.
type inTurn struct{ p *process }

var _ desktop.App = inTurn{}

func (a inTurn) Look(ctx context.Context, l desktop.Limits) (t *desktop.Tree, err error) {
	err = a.p.call(ctx, func(app desktop.App) (err error) { t, err = app.Look(ctx, l); return err })
	if err == nil {
		a.p.names.Name(t)
	}
	return t, err
}

func (a inTurn) Capture(ctx context.Context, key string) (i image.Image, at ui.Rect, err error) {
	err = a.p.call(ctx, func(app desktop.App) (err error) { i, at, err = app.Capture(ctx, key); return err })
	return i, at, err
}

func (a inTurn) Events() uint64 { return a.p.app.Events() }

func (a inTurn) Next(ctx context.Context, after uint64) error { return a.p.app.Next(ctx, after) }

func (a inTurn) Perform(ctx context.Context, key, action string) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Perform(ctx, key, action) })
}

func (a inTurn) SetNumber(ctx context.Context, key string, value float64) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.SetNumber(ctx, key, value) })
}

func (a inTurn) SetText(ctx context.Context, key, text string) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.SetText(ctx, key, text) })
}

func (a inTurn) Focus(ctx context.Context, key string) error {
	err := a.p.act(ctx, func(app desktop.App) error { return app.Focus(ctx, key) })
	if err == nil {
		a.p.focused(key)
	}
	return err
}

func (a inTurn) Click(ctx context.Context, at ui.Point, button, times int) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Click(ctx, at, button, times) })
}

func (a inTurn) Hold(ctx context.Context, at ui.Point, long time.Duration) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Hold(ctx, at, long) })
}

func (a inTurn) Drag(ctx context.Context, m desktop.Move) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Drag(ctx, m) })
}

func (a inTurn) Scroll(ctx context.Context, at ui.Point, dx, dy int) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Scroll(ctx, at, dx, dy) })
}

func (a inTurn) Press(ctx context.Context, c desktop.Chord, times int) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Press(ctx, c, times) })
}

func (a inTurn) Type(ctx context.Context, text string) error {
	return a.p.act(ctx, func(app desktop.App) error { return app.Type(ctx, text) })
}

// Close leaves the app open: the device closes it.
func (a inTurn) Close() error { return nil }
