package world

import (
	"context"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/crashreport"
	"ios-agent/internal/virtualxcode/flaw"
)

// process is a running app; the Store keeps its exported fields.
type process struct {
	PID      int
	Bundle   string
	Args     []string
	Env      map[string]string
	Values   app.Vars
	Tab      string              // the first screen of the selected tab; empty without tabs
	Kept     map[string][]string // by tab: the stacks of the other tabs
	Stack    []string            // names of the screens, top screen last
	Slide    slide
	Modals   []modal // sheets and dialogs over the screens, top one last
	Leaving  modal   // the disappearing sheet
	Scrolls  map[string]scroll
	Timers   []timer
	Focus    string // key of the element on the top screen that has keyboard focus
	Keyboard keyboard
	Selected bool // the whole text of the focused field is selected
	Taps     int  // consecutive taps on that field
	Tapped   time.Time
	Lines    []Line             // unread lines of the app's log and output
	Fatal    *crashreport.Crash // the reason why it must end
	Left     bool               // it has exited
	Opens    []string           // URLs that the system must open for it
	Started  time.Time
	Calls    []*call // pending requests
	LastCall int
	Once     []string         // services that it may use until it ends
	Orders   map[string][]int // by list: the order of rows after moves

	Inserted float64 // the distance by which a banner moved its content down
	Restless bool    // an endless animation runs

	flaws  flaw.Flaws
	busy   busy // the time in which its main thread is busy
	on     *device
	bundle *app.Bundle
	depth  int   // of screens shown by the showing of a screen
	shown  *view // the cached view at rest; nil after a change
}

// slide is the latest change from one screen to another.
type slide struct {
	Since time.Time
	Left  string        // the previous top screen
	Pause time.Duration // the length of a pause halfway
	Back  bool          // the previous screen was removed, not covered
}

func newProcess(on *device, b *app.Bundle, pid int, o LaunchOptions) *process {
	p := &process{PID: pid, Bundle: b.ID, Args: o.Args, Env: o.Env, Values: b.App.Initial(o.Args, o.Env),
		Stack: []string{b.App.Start}, bundle: b, on: on, Started: on.clock.Now()}
	if len(b.App.Tabs.Items) > 0 {
		p.Tab = b.App.Start
	}
	p.Timers = []timer{{Number: launching, At: p.Started}}
	p.refresh()
	return p
}

// fits reports whether p can be a process of a: its variables and screens are a's.
func (p *process) fits(a *app.App) bool {
	screens := slices.Concat(p.Stack, p.Leaving.Stack)
	for _, stack := range p.Kept {
		screens = append(screens, stack...)
	}
	for _, m := range p.Modals {
		screens = append(screens, m.Stack...)
		if m.Dialog >= len(a.Dialogs) && len(m.Stack) == 0 {
			return false
		}
	}
	if p.Slide.Left != "" {
		screens = append(screens, p.Slide.Left)
	}
	missing := slices.ContainsFunc(screens, func(s string) bool { return a.Screens[s] == nil })
	stale := slices.ContainsFunc(p.Timers, func(t timer) bool { return t.Number >= len(a.Timers) })
	stale = stale || slices.ContainsFunc(p.Calls, func(c *call) bool { return c == nil || c.Number >= len(a.Requests) })
	return len(p.Stack) > 0 && !missing && !stale && (p.Tab != "") == (len(a.Tabs.Items) > 0) && a.State.Fits(p.Values)
}

// changed drops the cached view of p.
func (p *process) changed() { p.shown = nil }

func (p *process) screen(name string) *app.Screen { return p.bundle.App.Screens[name] }

// stack is the stack for new screens: the topmost sheet's, or the app's own.
func (p *process) stack() *[]string {
	for i := len(p.Modals) - 1; i >= 0; i-- {
		if len(p.Modals[i].Stack) > 0 {
			return &p.Modals[i].Stack
		}
	}
	return &p.Stack
}

// top is the screen in use.
func (p *process) top() *app.Screen {
	stack := *p.stack()
	return p.screen(stack[len(stack)-1])
}

// sliding reports whether a change between two screens is visible at now.
func (p *process) sliding(now time.Time) bool {
	possible := p.Slide.Left != "" && (p.Slide.Back || len(*p.stack()) > 1)
	return possible && under(p.Slide.Since, now, slideTime+p.Slide.Pause)
}

// use runs the steps of an element, and removes the focus from a field that disappears.
func (p *process) use(steps []app.Step, now time.Time) {
	app.Run(steps, stage{p, now})
	p.adopt()
	p.changed()
	if p.Focus != "" && p.focused() == nil {
		p.blur(now)
	}
}

// Running is a process of a device that launchd started.
type Running struct {
	PID    int
	Bundle string
}

// Processes lists the processes of a booted device: SpringBoard, the apps, and the test runners.
func (w *World) Processes(ctx context.Context, udid string) ([]Running, error) {
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return nil, err
	}
	d.reapRunners(now)
	all := []Running{{d.springboardPID, SpringBoard}}
	for _, p := range d.Running {
		all = append(all, Running{p.PID, p.Bundle})
	}
	for _, r := range d.runners {
		all = append(all, Running{r.PID, r.Bundle})
	}
	return all, w.leave(d)
}
