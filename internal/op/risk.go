package op

import (
	"reflect"
)

// Risk says why an input needs a question to a person, whatever its value. The type of the input has the risk, so that a new operation
// cannot forget it: the types of its inputs decide whether it may run unattended.
type Risk string

// The risks.
const (
	NamesFile   Risk = "names a file"
	NamesServer Risk = "names a server, or lets others in"
	Redirects   Risk = "sends requests elsewhere"
	RunsCode    Risk = "names what is run"
	LosesData   Risk = "may lose data"
)

// Risked is an input type with a risk.
type Risked interface{ Risk() Risk }

// The input types with a risk, in addition to Path. An operation with one of them always needs a question.
type (
	Address   string   // of a server, of the interface to listen on, or of the network service whose requests are captured
	Addresses []string // likewise, several
	Redirect  bool     // whether requests of other programs are redirected
	Code      string   // code that is run unchanged, such as a debugger command
	Argv      []string // a program and its arguments
	Overwrite bool     // whether an existing file is overwritten
	Loss      string   // a value that loses data, or spends something that cannot be restored
)

// The risk of each type.
func (Path) Risk() Risk      { return NamesFile }
func (Address) Risk() Risk   { return NamesServer }
func (Addresses) Risk() Risk { return NamesServer }
func (Redirect) Risk() Risk  { return Redirects }
func (Code) Risk() Risk      { return RunsCode }
func (Argv) Risk() Risk      { return RunsCode }
func (Overwrite) Risk() Risk { return LosesData }
func (Loss) Risk() Risk      { return LosesData }

// Risky reports whether the input needs a question.
func (f Field) Risky() bool { return f.Risk != "" }

// riskOf is the risk of an input's type; a pointer has the risk of its element. A type with parts has the risks of its parts.
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
