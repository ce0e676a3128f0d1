package app

// Stage is the running app that steps act on.
type Stage interface {
	Vars() Vars
	Navigator
	Presenter
	Runner
	Outside
}

// Navigator moves between the screens of an app.
type Navigator interface {
	Push(screen string)
	Pop()
	SelectTab(screen string)
}

// Presenter shows things over the screens of an app.
type Presenter interface {
	Present(screen string) // as a sheet
	Dismiss()              // the topmost sheet
	Ask(*Dialog)
	Permit(*Ask)
}

// Runner is the process of an app.
type Runner interface {
	StartTimer(*Timer)
	StopTimer(name string)
	Log(how Log, message string)
	Crash(how Crash, message string)
	Exit()
}

// Outside is the app's access to the outside world.
type Outside interface {
	Request(*Request)
	Open(address string)
	WriteFile(name, text string, more bool)
	ReadFile(name string) string
}

// Step is one action of an app.
type Step interface{ Run(Stage) }

// Run executes steps in order.
func Run(steps []Step, on Stage) {
	for _, s := range steps {
		s.Run(on)
	}
}

// Assign is a variable and a value for it.
type Assign struct {
	Var   string
	Value any
}

// Set sets variables; references in strings are expanded first.
type Set []Assign

// Run implements Step.
func (s Set) Run(on Stage) {
	vars := on.Vars()
	for _, a := range s {
		if text, ok := a.Value.(string); ok {
			vars[a.Var] = Text(text).Expand(vars)
			continue
		}
		vars[a.Var] = a.Value
	}
}

// Add adds numbers to number variables.
type Add []Assign

// Run implements Step.
func (s Add) Run(on Stage) {
	vars := on.Vars()
	for _, a := range s {
		have, _ := vars[a.Var].(float64)
		more, _ := a.Value.(float64)
		vars[a.Var] = have + more
	}
}

// Flip inverts a bool variable.
type Flip string

// Run implements Step.
func (s Flip) Run(on Stage) {
	have, _ := on.Vars()[string(s)].(bool)
	on.Vars()[string(s)] = !have
}

// When runs Do if If holds at that moment, otherwise Else.
type When struct {
	If       Cond
	Do, Else []Step
}

// Run implements Step.
func (s When) Run(on Stage) {
	if s.If.Holds(on.Vars()) {
		Run(s.Do, on)
		return
	}
	Run(s.Else, on)
}
