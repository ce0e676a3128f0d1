package desktoptest

import (
	"context"
	"fmt"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// Call gives the app's program and its window other names.
func (a *App) Call(name, title string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.name, a.title = name, title
	a.tell()
}

// MoveTo moves the window, and all that is in it.
func (a *App) MoveTo(x, y float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	dx, dy := x-a.frame.X, y-a.frame.Y
	a.frame.X, a.frame.Y = x, y
	for _, w := range a.widgets {
		w.at.X, w.at.Y = w.at.X+dx, w.at.Y+dy
	}
	a.tell()
}

// OnPress has something called, in a goroutine of its own, whenever an element was pressed: which one, and how often the app had been
// looked at before.
func (a *App) OnPress(hook func(title string, looks uint64)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hook = hook
}

// Restless has the app change while it is looked at, always.
func (a *App) Restless() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.restless = true
}

// Looks is how often the app was looked at; NextLook waits until it was more often.
func (a *App) Looks() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.looks
}

// NextLook waits for a look.
func (a *App) NextLook(ctx context.Context, after uint64) error {
	return a.await(ctx, func() (bool, <-chan struct{}) { return a.looks > after, a.looked })
}

// Add adds an element at the end.
func (a *App) Add(role, title string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.widgets[len(a.widgets)-1].at
	last.Y += 40
	a.widgets = append(a.widgets, &widget{role: role, title: title, actions: []string{desktop.Press}, at: last})
	a.tell()
}

// Remove takes an element away, by its title. Its key is never another's.
func (a *App) Remove(title string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, w := range a.widgets {
		if w.title == title {
			a.widgets[i] = &widget{role: "AXGroup", at: w.at, gone: true}
		}
	}
	a.tell()
}

// dialog is a second window with one button that closes it.
type dialog struct {
	key, title, button string
	modal              bool
	at                 ui.Rect
}

// Ask opens a dialog with one button, over the window.
func (a *App) Ask(title, button string, modal bool, at ui.Rect) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dialog = &dialog{fmt.Sprintf("dialog%d", a.events), title, button, modal, at}
	a.tell()
}

// answer closes the dialog. The lock is held.
func (a *App) answer(button string) {
	a.did = append(a.did, "press "+button)
	a.dialog = nil
	a.tell()
}

func (d *dialog) node() *desktop.Node {
	at, button := d.at, ui.Rect{X: d.at.X + 10, Y: d.at.Y + 10, W: 80, H: 30}
	return &desktop.Node{
		Role: "AXWindow", Subrole: "AXDialog", Modal: d.modal, Title: d.title, Enabled: true, Bounds: &at, Key: d.key, Source: "said",
		Children: []*desktop.Node{{
			Role: "AXButton", Title: d.button, Enabled: true, Bounds: &button, Actions: []string{desktop.Press}, Key: d.key + " " + d.button,
			Source: "said",
		}},
	}
}

// longPress is the widget that knows a long press.
const longPress = "gesture-longpress-target"

// Show makes the app show a page of the contract of drivers, as after a new start.
func (a *App) Show(page string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	press := []string{desktop.Press}
	says := func(i int, format string) func(*App, string) {
		return func(a *App, value string) { a.widgets[i].title = fmt.Sprintf(format, value) }
	}
	a.times = 0
	a.put(map[string][]*widget{
		"Controls": {
			{role: "AXButton", id: "controls-tap-button", title: "Tap Me", actions: press, press: func(a *App) {
				a.times++
				a.widgets[1].title = fmt.Sprintf("Tapped: %d", a.times)
			}},
			{role: "AXStaticText", title: "Tapped: 0"},
			{role: "AXSlider", id: "controls-slider-volume", title: "Volume", valued: true, value: "0.5", changed: func(a *App, value string) {
				var share float64
				_, _ = fmt.Sscan(value, &share) // the app's own number
				a.widgets[3].title = fmt.Sprintf("Volume: %.0f", 100*share)
			}},
			{role: "AXStaticText", title: "Volume: 50"},
		},
		"Gestures": {
			{role: "AXButton", id: longPress, title: "Hold Me", actions: press},
			{role: "AXList", id: "scroll-list", title: "Rows"},
			{role: "AXStaticText", id: "scroll-item-1", title: "Row 1"},
		},
		"Text Input": {
			{role: "AXTextField", id: "text-username-field", title: "Username", valued: true, changed: says(1, "Username: %s")},
			{role: "AXStaticText", title: "Username: "},
		},
		"Navigation": {
			{role: "AXButton", id: "nav-moving-button", title: "Moving", actions: press},
			{role: "AXStaticText", id: "drag-lemon", title: "Lemon"},
			{role: "AXStaticText", id: "drop-basket", title: "Basket"},
		},
	}[page])
	if page == "Gestures" {
		list, row := a.widgets[1], a.widgets[2]
		list.at.H, row.at.Y = 200, list.at.Y
	}
	a.tell()
}

// scrolled moves the first row of a list out of sight. The lock is held.
func (a *App) scrolled(list *widget, dy int) {
	if list.id != "scroll-list" || dy >= 0 {
		return
	}
	for _, w := range a.widgets {
		if w.id == "scroll-item-1" {
			w.at.Y -= 1000
		}
	}
	a.tell()
}
