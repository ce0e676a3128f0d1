// Package hint writes the advice in a text as facts instead of command lines, so that each surface can word it for its reader.
//
// The advice of a fault, a notice or a next step is a sentence with facts in it: a call of an operation (Do), the description of its inputs
// (Schema), the name of an input (Field), or a command that only a person can run (Command). Packages below the surfaces write a fact where
// a sentence names one; a surface replaces it by its own words (Render): a command line, a tool call, an HTTP request. So packages below
// the surfaces do not depend on any surface's syntax.
//
//	fault.New(…).WithHint("%s lists the devices", hint.Do("list_devices"))
//
// A fact stands in a text between ‹ and ›, which are escaped inside the fact. Render leaves text in double quotes unchanged: it is data.
// Outside text that stands without quotes must pass through Escape, so that it cannot look like a fact; package oneline does so for each
// field of an answer, except the fields that hold advice (Advises).
package hint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Kind says what a fact is about.
type Kind string

// The kinds of facts.
const (
	Call  Kind = "do"    // an operation and the input that it is called with
	Help  Kind = "help"  // the inputs of an operation
	Input Kind = "input" // one input of the call that failed
	Shell Kind = "shell" // a command outside the catalogue: a person runs it in a shell
)

// Fact is one thing that a text names.
type Fact struct {
	Kind  Kind
	Op    string         // Call, Help: the operation's ID in the catalogue
	Input map[string]any // Call: the values, by the names of the operation's inputs
	Name  string         // Input: the input's name; Shell: the command line
}

// Do returns the fact of a call of an operation. The pairs are names of inputs, each followed by its value: Do("tap", "ref", "e3").
func Do(op string, pairs ...any) string {
	if len(pairs)%2 != 0 {
		panic(fmt.Sprintf("hint.Do(%q): %v has a name without a value", op, pairs))
	}
	input := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		input[pairs[i].(string)] = pairs[i+1]
	}
	return Of(op, input)
}

// Of is Do for an input that is a map already. The name of an input in capitals takes the place of a text that is too long for advice: an
// answer cuts long hints, and no surface can render half of a fact.
func Of(op string, input map[string]any) string {
	if len(input) == 0 {
		return fact(Call, op)
	}
	input = maps.Clone(input)
	for name, value := range input {
		if text, is := value.(string); is && len(text) > mostText {
			input[name] = strings.ToUpper(name)
		}
	}
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(input); err != nil {
		return fact(Call, op)
	}
	return fact(Call, op+" "+strings.TrimSpace(raw.String()))
}

const mostText = 512

// Schema returns the fact of the description of an operation's inputs.
func Schema(op string) string { return fact(Help, op) }

// Field returns the fact of an input of the call that the text is about, by its name in the operation.
func Field(name string) string { return fact(Input, name) }

// Command returns the fact of a whole command line, such as "ios-agent daemon stop", for the person at the machine.
func Command(line string) string { return fact(Shell, line) }

func fact(kind Kind, text string) string {
	return "‹" + string(kind) + ":" + escapes.Replace(text) + "›"
}

// A fact is one line, and ends where its bracket does. Escapes of JSON serve both JSON and plain text.
var (
	escapes   = strings.NewReplacer("‹", `\u2039`, "›", `\u203a`, "\n", `\n`)
	unescapes = strings.NewReplacer(`\u2039`, "‹", `\u203a`, "›", `\n`, "\n")
)

// pieces matches quotations, which are data, and facts.
var pieces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|‹(do|help|input|shell):([^›\n]*)›`)
})

// Has reports whether a text may have facts. It is cheap.
func Has(text string) bool { return strings.Contains(text, "‹") }

// Render replaces each fact of a text by the words of a surface for it.
func Render(text string, say func(Fact) string) string {
	if !Has(text) {
		return text
	}
	return pieces().ReplaceAllStringFunc(text, func(piece string) string {
		if piece[0] == '"' {
			return piece
		}
		f, ok := read(piece)
		if !ok {
			return piece
		}
		return say(f)
	})
}

// Facts returns the facts of a text, in their order.
func Facts(text string) (facts []Fact) {
	Render(text, func(f Fact) string {
		facts = append(facts, f)
		return ""
	})
	return facts
}

// Plain renders a text for a reader without a surface, such as the log: operations and inputs by their names.
func Plain(text string) string {
	return Render(text, func(f Fact) string {
		switch f.Kind {
		case Call:
			if len(f.Input) == 0 {
				return f.Op
			}
			raw, err := json.Marshal(f.Input)
			if err != nil {
				return f.Op
			}
			return f.Op + " " + string(raw)
		case Help:
			return "the inputs of " + f.Op
		}
		return f.Name
	})
}

// Escape changes a text from outside so that nothing in it is a fact: the opening bracket of one becomes <. Other texts stay as they are.
func Escape(text string) string {
	if !Has(text) {
		return text
	}
	return openings().ReplaceAllString(text, "<$1")
}

var openings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`‹((?:do|help|input|shell):)`) })

// Advises reports whether a field of an answer holds sentences of ios-agent's with facts in them. The names are the names in JSON: of the
// field, and of the field whose object or list of objects holds it. All other fields hold data, which no surface changes.
func Advises(holder, field string) bool { return advising[field] || advising[holder+"."+field] }

var advising = map[string]bool{
	"advice": true, "answer": true, "hint": true, "instructions": true, "mend": true, "nextSteps": true, "note": true, "outline": true,
	"error.message": true, "notices.lines": true, "notices.text": true, "steps.text": true,
}

func read(piece string) (f Fact, ok bool) {
	kind, text, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(piece, "‹"), "›"), ":")
	f.Kind = Kind(kind)
	switch f.Kind {
	case Call:
		var input string
		f.Op, input, _ = strings.Cut(text, " ")
		if input != "" && json.Unmarshal([]byte(input), &f.Input) != nil {
			return Fact{}, false
		}
	case Help:
		f.Op = text
	default:
		f.Name = unescapes.Replace(text)
	}
	return f, true
}
