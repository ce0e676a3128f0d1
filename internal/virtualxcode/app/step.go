package app

// Stage is the running app that steps act on.
type Stage interface {
	Vars() Vars
	Push(screen string)
	Pop()
}

// Step is one thing an element does when it is used.
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

// Set gives variables values; references in strings are expanded first.
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

// Go shows a screen on top of the present one.
type Go string

// Run implements Step.
func (s Go) Run(on Stage) { on.Push(string(s)) }

// Back returns to the screen below.
type Back struct{}

// Run implements Step.
func (Back) Run(on Stage) { on.Pop() }

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
