package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/crashreport"
)

// stage lets an app's steps act on a process at a moment.
type stage struct {
	*process
	now time.Time
}

var _ app.Stage = stage{}

const (
	deepestStack = 64 // maximum depth of a stack; more means an endless loop of the app
	deepestShow  = 8  // maximum chain of screens that show another screen
)

// Vars implements app.Stage.
func (s stage) Vars() app.Vars { return s.Values }

// Push implements app.Stage.
func (s stage) Push(screen string) {
	stack := s.stack()
	if len(*stack) >= deepestStack {
		return
	}
	s.Slide = s.slide(slide{Left: (*stack)[len(*stack)-1]})
	*stack = append(*stack, screen)
	s.blur(s.now)
	s.appear(screen)
}

// appear runs the steps of a screen that appears.
func (s stage) appear(screen string) {
	delete(s.Scrolls, scrollKey(screen, ""))
	if s.depth >= deepestShow {
		return
	}
	s.depth++
	app.Run(s.screen(screen).Appear, s)
	s.depth--
}

// Pop implements app.Stage. The last screen stays.
func (s stage) Pop() { s.popTo(len(*s.stack()) - 1) }

// popTo removes screens until n are left.
func (s stage) popTo(n int) {
	stack := s.stack()
	if n < 1 || n >= len(*stack) {
		return
	}
	s.Slide = s.slide(slide{Left: (*stack)[len(*stack)-1], Back: true})
	*stack = slices.Clone((*stack)[:n])
	s.blur(s.now)
}

// SelectTab implements app.Stage. Selecting the selected tab leads to its first screen, or to its top.
func (s stage) SelectTab(screen string) {
	if screen == s.Tab {
		if len(s.Stack) == 1 {
			s.scrollTo(scrollKey(screen, ""), s.Scrolls[scrollKey(screen, "")].toTop(s.now))
		}
		s.popTo(1)
		return
	}
	if s.Kept == nil {
		s.Kept = map[string][]string{}
	}
	s.Kept[s.Tab] = s.Stack
	s.Tab, s.Slide = screen, slide{}
	s.blur(s.now)
	if s.Stack = s.Kept[screen]; s.Stack == nil {
		s.Stack = []string{screen}
		s.appear(screen)
	}
	delete(s.Kept, screen)
}

// Log implements app.Stage.
func (s stage) Log(how app.Log, message string) {
	s.Lines = append(s.Lines, Line{At: s.now, Level: how.Level, Subsystem: how.Subsystem, Category: how.Category, Message: message})
}

// Exit implements app.Stage. The process ends after its steps.
func (s stage) Exit() { s.Left = true }

// Open implements app.Stage. The system opens the URL after the steps.
func (s stage) Open(address string) { s.Opens = append(s.Opens, address) }

// Crash implements app.Stage. The process ends after its steps.
func (s stage) Crash(how app.Crash, message string) {
	if s.Fatal == nil {
		s.Fatal = &crashreport.Crash{At: s.now, Started: s.Started, Bundle: s.Bundle, Name: s.bundle.Name, PID: s.PID, Kind: how.Kind,
			Exception: how.Name, Message: message, Screen: s.top().Name, Line: how.Line, Front: s.on.Front == s.Bundle}
	}
}
