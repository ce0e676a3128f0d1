package app

// Go shows a screen on top of the present one.
type Go string

// Run implements Step.
func (s Go) Run(on Stage) { on.Push(string(s)) }

// Back returns to the screen below.
type Back struct{}

// Run implements Step.
func (Back) Run(on Stage) { on.Pop() }

// ToTab selects the tab of a screen.
type ToTab string

// Run implements Step.
func (s ToTab) Run(on Stage) { on.SelectTab(string(s)) }

// Sheet shows a screen as a sheet over everything.
type Sheet string

// Run implements Step.
func (s Sheet) Run(on Stage) { on.Present(string(s)) }

// Dismiss closes the topmost sheet.
type Dismiss struct{}

// Run implements Step.
func (Dismiss) Run(on Stage) { on.Dismiss() }

// Run implements Step: it asks the question.
func (d *Dialog) Run(on Stage) { on.Ask(d) }

// Run implements Step: it starts the timer.
func (t *Timer) Run(on Stage) { on.StartTimer(t) }

// Stop stops the timers of a name.
type Stop string

// Run implements Step.
func (s Stop) Run(on Stage) { on.StopTimer(string(s)) }

// PrintLevel is the level of printed lines, as opposed to logged ones.
const PrintLevel = "print"

// logLevels are the levels of os_log.
var logLevels = []string{"debug", "info", "default", "error", "fault"}

// Log writes a line to the app's log.
type Log struct {
	Level     string // one of logLevels, or PrintLevel
	Message   Text
	Subsystem string // empty: the bundle id
	Category  string // empty: app
}

// Run implements Step.
func (s Log) Run(on Stage) { on.Log(s, s.Message.Expand(on.Vars())) }

// The kinds of crashes.
const (
	FatalError = "fatal"     // a Swift precondition: fatalError, an index out of range
	Exception  = "exception" // an uncaught Objective-C exception
	BadAccess  = "memory"    // access to unmapped memory
	Abort      = "abort"     // the process aborted
	Watchdog   = "watchdog"  // the system ended it because it did not respond
)

// CrashKinds lists the kinds of crashes.
func CrashKinds() []string { return []string{FatalError, Exception, BadAccess, Abort, Watchdog} }

// Crash ends the app like a bug.
type Crash struct {
	Kind    string
	Name    string // of an exception
	Message Text
	Line    int // line of the ui.yaml
}

// Run implements Step.
func (s Crash) Run(on Stage) { on.Crash(s, s.Message.Expand(on.Vars())) }

// Exit ends the app without a crash.
type Exit struct{}

// Run implements Step.
func (Exit) Run(on Stage) { on.Exit() }

// OpenURL makes the system open a URL: another app comes to the front.
type OpenURL Text

// Run implements Step.
func (s OpenURL) Run(on Stage) { on.Open(Text(s).Expand(on.Vars())) }
