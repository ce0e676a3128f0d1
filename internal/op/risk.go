package op

import (
	"reflect"
)

// Risk says why an input calls for a question to a person, whatever its value. It is a property of the input's type, so that what takes
// such a value cannot forget it: what may run unattended derives from the types of an operation's inputs.
type Risk string

// The risks.
const (
	NamesFile   Risk = "names a file"
	NamesServer Risk = "names a server, or lets others in"
	Redirects   Risk = "sends requests elsewhere"
	RunsCode    Risk = "names what is run"
	LosesData   Risk = "may lose data"
)

// Risked is a type of inputs that has a risk.
type Risked interface{ Risk() Risk }

// The types of inputs that have a risk, beside Path. An input that has one of them is never taken without a question.
type (
	Address   string   // of a server, of the interface that is listened on, or of the network service whose requests are meant
	Addresses []string // likewise, several
	Redirect  bool     // whether requests of others are sent elsewhere
	Code      string   // is run as it is, such as a command of a debugger
	Argv      []string // a program and its arguments
	Overwrite bool     // whether what is there is written over
	Loss      string   // of which one value loses data, or spends what cannot be had back
)

// Risk of each type.
func (Path) Risk() Risk      { return NamesFile }
func (Address) Risk() Risk   { return NamesServer }
func (Addresses) Risk() Risk { return NamesServer }
func (Redirect) Risk() Risk  { return Redirects }
func (Code) Risk() Risk      { return RunsCode }
func (Argv) Risk() Risk      { return RunsCode }
func (Overwrite) Risk() Risk { return LosesData }
func (Loss) Risk() Risk      { return LosesData }

// Risky reports whether the input calls for a question.
func (f Field) Risky() bool { return f.Risk != "" }

// riskOf is the risk that the type of an input has; pointers tell absent from empty, and risk the same. What has parts risks what one of
// them does.
func riskOf(t reflect.Type) Risk {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := reflect.Zero(t).Interface().(type) {
	case Risked:
		return v.Risk()
	case Parted:
		for part := range reflect.TypeOf(v.Parts()).Fields() {
			if risk := riskOf(part.Type); risk != "" {
				return risk
			}
		}
	}
	return ""
}
