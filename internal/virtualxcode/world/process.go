package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// process is a running app; its exported fields are what the Store keeps.
type process struct {
	PID      int
	Bundle   string
	Args     []string
	Env      map[string]string
	Values   app.Vars
	Stack    []string // names of the screens, the last one on top
	Slide    slide
	Focus    string // key of the element on the top screen that has keyboard focus
	Keyboard keyboard

	bundle *app.Bundle
}

// slide is the latest change from one screen to another.
type slide struct {
	Since time.Time
	Left  string // the screen that was on top before
	Back  bool   // it was taken off rather than covered
}

func newProcess(b *app.Bundle, pid int, o LaunchOptions) *process {
	return &process{PID: pid, Bundle: b.ID, Args: o.Args, Env: o.Env, Values: b.App.State.Clone(),
		Stack: []string{b.App.Start}, bundle: b}
}

// fits reports whether p can be a process of a: its variables and screens are a's.
func (p *process) fits(a *app.App) bool {
	known := func(screen string) bool { return a.Screens[screen] != nil }
	missing := slices.ContainsFunc(p.Stack, func(s string) bool { return !known(s) })
	return len(p.Stack) > 0 && !missing && (p.Slide.Left == "" || known(p.Slide.Left)) && a.State.Fits(p.Values)
}

func (p *process) top() *app.Screen { return p.bundle.App.Screens[p.Stack[len(p.Stack)-1]] }

// sliding reports whether two screens are to be seen at now.
func (p *process) sliding(now time.Time) bool {
	possible := p.Slide.Left != "" && (p.Slide.Back || len(p.Stack) > 1)
	return possible && under(p.Slide.Since, now, slideTime)
}

// stage lets an app's steps act on a process at a moment.
type stage struct {
	*process
	now time.Time
}

var _ app.Stage = stage{}

// Vars implements app.Stage.
func (s stage) Vars() app.Vars { return s.Values }

// Push implements app.Stage.
func (s stage) Push(screen string) {
	s.Slide = slide{Since: s.now, Left: s.Stack[len(s.Stack)-1]}
	s.Stack = append(s.Stack, screen)
	s.blur(s.now)
}

// Pop implements app.Stage. The last screen stays.
func (s stage) Pop() {
	if len(s.Stack) == 1 {
		return
	}
	last := len(s.Stack) - 1
	s.Slide = slide{Since: s.now, Left: s.Stack[last], Back: true}
	s.Stack = s.Stack[:last]
	s.blur(s.now)
}

// use runs what e does, and takes the focus from a field that has gone because of it.
func (p *process) use(e *app.Element, now time.Time) {
	app.Run(e.Do, stage{p, now})
	if p.Focus != "" && p.focused() == nil {
		p.blur(now)
	}
}

func (p *process) focus(e *app.Element, now time.Time) {
	p.Focus = e.Key
	p.Keyboard.show(now)
}

func (p *process) blur(now time.Time) {
	p.Focus = ""
	p.Keyboard.hide(now)
}

// focused is the element with keyboard focus, nil if there is none any more.
func (p *process) focused() *app.Element {
	if p.Focus == "" {
		return nil
	}
	return find(p.top().Elements, func(e *app.Element) bool {
		return e.Key == p.Focus && e.Bind != "" && e.Visible.Holds(p.Values) && e.Enabled.Holds(p.Values)
	})
}

func find(elements []*app.Element, match func(*app.Element) bool) *app.Element {
	for _, e := range elements {
		if match(e) {
			return e
		}
		if inner := find(e.Row, match); inner != nil {
			return inner
		}
	}
	return nil
}

// enter types one character into the focused field and reports whether there was one.
func (p *process) enter(r rune, now time.Time) bool {
	e := p.focused()
	if e == nil {
		return false
	}
	text, _ := p.Values[e.Bind].(string)
	switch r {
	case '\n', '\r':
		p.blur(now)
		return true
	case '\b', '\x7f':
		runes := []rune(text)
		text = string(runes[:max(len(runes)-1, 0)])
	default:
		text += string(r)
	}
	p.Values[e.Bind] = text
	return true
}
