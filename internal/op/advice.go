package op

import (
	"fmt"
	"strings"

	"ios-agent/internal/fault"
)

// advised gives a fault about the input a hint, where whoever made it had none: a line that works, or the inputs that there are.
func (o Op) advised(f *fault.Fault) *fault.Fault {
	if f.Code != fault.InvalidInput || f.Hint != f.Code.Hint() {
		return f
	}
	if len(o.Examples) > 0 {
		return f.WithHint("such as `ios-agent %s`", o.Examples[0])
	}
	return f.WithHint("%s", inputsOf(o.Fields()))
}

// takes says what a field is for and which values it has.
func (f Field) takes() string {
	name := "`--" + f.Flag() + "`"
	if f.NoFlag {
		name = f.Name
	}
	switch {
	case len(f.Enum) > 0:
		return fmt.Sprintf("%s is one of %s", name, strings.Join(f.Enum, ", "))
	case f.Min != nil || f.Max != nil:
		return fmt.Sprintf("%s: %s (%s)", name, f.Doc, strings.TrimSpace(f.bounds()+" "+f.UnitWord()))
	}
	return name + ": " + f.Doc
}

// inputsOf lists fields by their names.
func inputsOf(fields []Field) string {
	if len(fields) == 0 {
		return "it takes no input"
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return "it takes: " + strings.Join(names, ", ")
}
