// Package desktoptest is a desktop in memory for tests: a small app with the same working widgets as strobe's test app. App is the app,
// Desktop shows it, Room calls operations on it. It does not imitate an accessibility system: drivers for these are tested with the real
// systems.
package desktoptest

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var _ desktop.Desktop = (*Desktop)(nil)

// Desktop has one app for every process of Apps.
type Desktop struct {
	mu   sync.Mutex
	Apps map[int]*App
}

// New is a desktop with a test app for each process.
func New(pids ...int) *Desktop {
	d := &Desktop{Apps: map[int]*App{}}
	for _, pid := range pids {
		d.Apps[pid] = NewApp()
	}
	return d
}

// Methods are words that no real system has.
func (d *Desktop) Methods() desktop.Methods {
	return desktop.Methods{Accessibility: "said", Input: "done", Pointer: "pointed"}
}

// Prepare has nothing to do.
func (d *Desktop) Prepare(context.Context, desktop.Environ) ([]string, error) { return nil, nil }

// Open gives the app of a process.
func (d *Desktop) Open(_ context.Context, pid int) (desktop.App, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.Apps[pid]; a != nil {
		return a, nil
	}
	return nil, fault.New(fault.AppNotRunning, "process %d shows no windows", pid)
}

// Windows are the windows of the apps.
func (d *Desktop) Windows(context.Context, desktop.Environ) (all []desktop.Window, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for pid, a := range d.Apps {
		a.mu.Lock()
		if !a.closed {
			all = append(all, desktop.Window{ID: strconv.Itoa(pid), PID: pid, App: a.name, Title: a.title, Bounds: a.frame, Focused: true})
		}
		a.mu.Unlock()
	}
	slices.SortFunc(all, func(x, y desktop.Window) int { return x.PID - y.PID })
	return all, nil
}

var frame = ui.Rect{X: 100, Y: 50, W: 400, H: 600}

// widget is an element of the app, which is also its state.
type widget struct {
	role, title, value string
	id                 string // the developer's name for it
	valued             bool
	gone               bool
	keysOnly           bool // a field that takes texts only by keys
	actions            []string
	disabled           bool
	at                 ui.Rect
	press              func(a *App)
	changed            func(a *App, value string)
}

// App is the test app. Its exported methods for tests tell its own state.
type App struct {
	mu       sync.Mutex
	name     string // of its program
	title    string // of its window
	frame    ui.Rect
	widgets  []*widget
	dialog   *dialog
	focus    *widget
	events   uint64
	looks    uint64
	era      int           // where the keys of the widgets begin: what was shown before had others
	told     chan struct{} // closed at the next event
	looked   chan struct{} // closed at the next look
	closed   bool
	did      []string
	times    int // how often Action was pressed
	hook     func(title string, looks uint64)
	restless bool // it changes at every look
	// selected says that all of what the focus is in is selected.
	selected bool
}

// NewApp makes one.
func NewApp() *App {
	a := &App{name: "testapp", title: "Test App", frame: frame, told: make(chan struct{}), looked: make(chan struct{})}
	press := []string{desktop.Press}
	rows := []*widget{
		{role: "AXButton", title: "Action", actions: press, press: func(a *App) {
			a.times++
			a.widgets[2].title = fmt.Sprintf("Clicked: %d", a.times)
		}},
		{role: "AXCheckBox", title: "Enabled", valued: true, value: "0", actions: press, press: func(a *App) {
			a.widgets[1].value = map[string]string{"0": "1", "1": "0"}[a.widgets[1].value]
		}},
		{role: "AXStaticText", title: "Ready"},
		{role: "AXSlider", title: "Volume", valued: true, value: "0.5", actions: []string{"AXIncrement", "AXDecrement"}},
		{role: "AXTextField", title: "Name", valued: true},
		{role: "AXList", title: "Items"},
		{role: "AXStaticText", title: "Drag Source"},
		{role: "AXStaticText", title: "Drop Here"},
		{role: "AXButton", title: "Off", actions: press, disabled: true, press: func(*App) {}},
		{role: "AXTextField", title: "Keys", valued: true, keysOnly: true},
	}
	a.put(rows)
	return a
}

// put stacks widgets in the window.
func (a *App) put(rows []*widget) {
	for i, w := range rows {
		w.at = ui.Rect{X: a.frame.X + 20, Y: a.frame.Y + 40 + float64(i)*50, W: 200, H: 30}
	}
	a.era += len(a.widgets)
	a.widgets, a.focus = rows, nil
}

// Did is what reached the app, in order: "press Action", "type héllo", "key s 0x100000", "scroll Items 0 -3",
// "drag Drag Source to Drop Here", "drag … by the pointer".
func (a *App) Did() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.did)
}

// Set changes an element by its title, as the app itself would.
func (a *App) Set(title string, change func(title, value *string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.widgets {
		if w.title == title {
			change(&w.title, &w.value)
			break
		}
	}
	a.tell()
}

// Leave closes the window.
func (a *App) Leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.tell()
}

// tell is called with the lock held.
func (a *App) tell() {
	a.events++
	close(a.told)
	a.told = make(chan struct{})
}

// Look shows the window.
func (a *App) Look(ctx context.Context, _ desktop.Limits) (*desktop.Tree, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.looks++
	close(a.looked)
	a.looked = make(chan struct{})
	t := &desktop.Tree{Toolkit: "test 1"}
	if a.closed {
		return t, nil
	}
	at := a.frame
	w := &desktop.Node{Role: "AXWindow", Title: a.title, Enabled: true, Bounds: &at, Key: "window", Source: "said"}
	for i, own := range a.widgets {
		if own.gone {
			continue
		}
		at := own.at
		n := &desktop.Node{Role: own.role, Title: own.title, Enabled: !own.disabled, Focused: own == a.focus, Bounds: &at, Actions: own.actions,
			Key: strconv.Itoa(a.era + i), Identifier: own.id, Source: "said"}
		if own.valued {
			value := own.value
			n.Value = &value
		}
		if own.role == "AXSlider" {
			n.Min, n.Max = new(0.0), new(1.0)
		}
		if own.role == "AXCheckBox" {
			n.Selected = own.value == "1"
		}
		if own.role == "AXList" && own.title == "Items" {
			for j, name := range []string{"Alpha", "Beta", "Gamma"} {
				row := ui.Rect{X: at.X, Y: at.Y + float64(j)*10, W: at.W, H: 10}
				n.Children = append(n.Children, &desktop.Node{
					Role: "AXStaticText", Title: name, Enabled: true, Bounds: &row, Key: "row" + name, Source: "said",
				})
			}
		}
		w.Children = append(w.Children, n)
	}
	t.Windows = []*desktop.Node{w}
	if a.dialog != nil {
		t.Windows = append(t.Windows, a.dialog.node())
	}
	if a.restless {
		a.widgets[2].title = fmt.Sprint("Look ", a.looks)
		a.tell()
	}
	return t, nil
}

// Capture is a grey picture of twice the points; that of a dialog is white.
func (a *App) Capture(_ context.Context, key string) (image.Image, ui.Rect, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.dialog; d != nil && (key == "" || key == d.key) {
		p := image.NewRGBA(image.Rect(0, 0, int(2*d.at.W), int(2*d.at.H)))
		for i := range p.Pix {
			p.Pix[i] = 0xFF
		}
		return p, d.at, nil
	}
	frame := a.frame
	p := image.NewRGBA(image.Rect(0, 0, int(2*frame.W), int(2*frame.H)))
	for i := range p.Pix {
		p.Pix[i] = 0xC0
	}
	p.Set(0, 0, color.White)
	return p, frame, nil
}

// Events counts changes.
func (a *App) Events() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events
}

// Next waits for one.
func (a *App) Next(ctx context.Context, after uint64) error {
	return a.await(ctx, func() (bool, <-chan struct{}) { return a.events > after, a.told })
}

// await waits until something is so; with mu held it is asked, and says what to wait for before it is asked again.
func (a *App) await(ctx context.Context, is func() (bool, <-chan struct{})) error {
	for {
		a.mu.Lock()
		so, more := is()
		a.mu.Unlock()
		if so {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// do runs fn on the widget of a key.
func (a *App) do(key string, fn func(w *widget) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.dialog; d != nil && strings.HasPrefix(key, d.key+" ") {
		a.answer(strings.TrimPrefix(key, d.key+" "))
		return nil
	}
	i, err := strconv.Atoi(key)
	i -= a.era
	if err != nil || i < 0 || i >= len(a.widgets) || a.closed || a.widgets[i].gone {
		return &desktop.GoneError{Key: key}
	}
	if err := fn(a.widgets[i]); err != nil {
		return err
	}
	a.tell()
	return nil
}

func (a *App) pressed(w *widget) {
	a.did = append(a.did, "press "+w.title)
	if w.press != nil && !w.disabled {
		w.press(a)
	}
	if a.hook != nil {
		go a.hook(w.title, a.looks)
	}
}

// change gives a widget a value. The lock is held.
func (a *App) change(w *widget, value string) {
	w.value = value
	if w.changed != nil {
		w.changed(a, value)
	}
}

// Perform presses.
func (a *App) Perform(_ context.Context, key, action string) error {
	return a.do(key, func(w *widget) error {
		if !slices.Contains(w.actions, action) {
			return &desktop.UnsupportedError{What: action}
		}
		a.pressed(w)
		return nil
	})
}

// SetNumber moves the slider.
func (a *App) SetNumber(_ context.Context, key string, value float64) error {
	return a.do(key, func(w *widget) error {
		if w.role != "AXSlider" {
			return &desktop.UnsupportedError{What: "take a number"}
		}
		a.change(w, strconv.FormatFloat(min(max(value, 0), 1), 'f', -1, 64))
		return nil
	})
}

// SetText replaces a field's text.
func (a *App) SetText(_ context.Context, key, text string) error {
	return a.do(key, func(w *widget) error {
		if w.role != "AXTextField" || w.keysOnly {
			return &desktop.UnsupportedError{What: "take a text"}
		}
		a.change(w, text)
		return nil
	})
}

// Focus gives a field the focus.
func (a *App) Focus(_ context.Context, key string) error {
	return a.do(key, func(w *widget) error {
		if w.role != "AXTextField" && w.role != "AXButton" {
			return &desktop.UnsupportedError{What: "have the focus"}
		}
		a.focus = w
		return nil
	})
}

// under is the widget at a point; nil for none. The lock is held.
func (a *App) under(at ui.Point) *widget {
	for _, w := range a.widgets {
		if w.at.Contains(at) && !w.gone {
			return w
		}
	}
	return nil
}

// Click presses what is there.
func (a *App) Click(_ context.Context, at ui.Point, _, times int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.dialog; d != nil && d.at.Contains(at) {
		a.answer(d.button)
		return nil
	}
	if w := a.under(at); w != nil {
		for range times {
			a.pressed(w)
		}
		if w.role == "AXTextField" {
			a.focus = w
		}
	}
	a.tell()
	return nil
}

// Hold is a long press where a widget knows one, else a click.
func (a *App) Hold(ctx context.Context, at ui.Point, _ time.Duration) error {
	a.mu.Lock()
	if w := a.under(at); w != nil && w.id == longPress {
		defer a.mu.Unlock()
		a.did = append(a.did, "hold "+w.title)
		w.title = "Long press seen"
		a.tell()
		return nil
	}
	a.mu.Unlock()
	return a.Click(ctx, at, 1, 1)
}

// Drag drops the source on the target.
func (a *App) Drag(_ context.Context, m desktop.Move) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	source, target := a.under(m.From), a.under(m.Path[len(m.Path)-1])
	if source == nil || target == nil {
		return nil
	}
	did := "drag " + source.title + " to " + target.title
	if m.Pointer {
		did += " by the pointer"
	}
	a.did = append(a.did, did)
	if source.title == "Drag Source" && target.title == "Drop Here" {
		target.title = "Drop Received"
	}
	if source.id == "drag-lemon" && target.id == "drop-basket" {
		target.title = "Dropped: 1"
	}
	a.tell()
	return nil
}

// Scroll notes it: a scroll is not seen in the tree.
func (a *App) Scroll(_ context.Context, at ui.Point, dx, dy int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.under(at); w != nil {
		a.did = append(a.did, fmt.Sprintf("scroll %s %d %d", w.title, dx, dy))
		a.scrolled(w, dy)
	}
	return nil
}

// Press notes a key.
func (a *App) Press(_ context.Context, c desktop.Chord, times int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range times {
		a.did = append(a.did, fmt.Sprintf("key %s %#x", c.Key, uint64(c.Modifiers)))
		switch f := a.focus; {
		case f == nil:
		case c.Key == "end":
			a.selected = false
		case c.Key == "a" && c.Modifiers == desktop.Command:
			a.selected = true
		case c.Key == "delete" && a.selected:
			a.change(f, "")
			a.selected = false
		case c.Key == "delete" && f.value != "":
			runes := []rune(f.value)
			a.change(f, string(runes[:len(runes)-1]))
		}
	}
	a.tell()
	return nil
}

// Type adds to the field that has the focus.
func (a *App) Type(_ context.Context, text string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.did = append(a.did, "type "+text)
	if a.focus != nil && a.focus.role == "AXTextField" {
		a.change(a.focus, a.focus.value+text)
	}
	a.tell()
	return nil
}

// Close leaves the app as it is.
func (a *App) Close() error { return nil }
