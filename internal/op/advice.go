package op

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/words"
)

// advised adds a hint to a fault about the input that has only its code's hint: an example, or the names of the inputs.
func (o Op) advised(f *fault.Fault) *fault.Fault {
	if f.Code != fault.InvalidInput || f.Hint != f.Code.Hint() {
		return f
	}
	if len(o.Examples) > 0 {
		return f.WithHint("such as %s", o.example(o.Examples[0]))
	}
	return f.WithHint("%s", inputsOf(o.Fields()))
}

// example returns an example line as a call in a hint, without the flags that every command has. The line has only texts: numbers and yes
// or no get their kind. Paths stay relative, as a reader writes them.
func (o Op) example(line string) string {
	split, _ := words.Split(line)
	n := min(len(strings.Fields(o.Verb)), len(split))
	given, err := ParseArgs(o, slices.DeleteFunc(split[n:], func(word string) bool { return word == "--json" || word == "-f" }))
	if err != nil || !o.Called(strings.Join(split[:n], " ")) {
		return hint.Command("ios-agent " + line)
	}
	for _, f := range o.Fields() {
		text, is := given[f.Name].(string)
		var value any
		if is && (f.Kind == Bool || f.Kind == Int || f.Kind == Float) && json.Unmarshal([]byte(text), &value) == nil {
			given[f.Name] = value
		}
	}
	return hint.Of(o.id(), given)
}

// id returns a name by which Catalogue.Lookup finds the operation, also where the core family has an operation of the same name.
func (s Spec) id() string { return strings.TrimPrefix(s.FullName(), Core+"_") }

// takes describes the values of a field and its purpose.
func (f Field) takes() string {
	name := hint.Field(f.Name)
	if f.NoFlag {
		name = f.Name
	}
	switch {
	case len(f.Enum) > 0:
		return fmt.Sprintf("%s must be one of %s", name, strings.Join(f.Enum, ", "))
	case f.Min != nil || f.Max != nil:
		return fmt.Sprintf("%s: %s (%s)", name, f.Doc, strings.TrimSpace(f.bounds()+" "+f.UnitWord()))
	}
	return name + ": " + f.Doc
}

func inputsOf(fields []Field) string {
	if len(fields) == 0 {
		return "the operation has no inputs"
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return "inputs: " + strings.Join(names, ", ")
}
