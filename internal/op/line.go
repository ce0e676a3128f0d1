package op

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/words"
)

// Place assigns positional arguments to the fields with cli:"arg", in order. A field with a pattern takes only a matching word, and gives
// another word to its Else input if the fields after it do not need the word; a list takes all remaining words. A word with @ is a ref in
// any position: swipe up @e7 is swipe @e7 up.
func Place(o Op, input map[string]any, args []string) error {
	args = refFirst(o, args)
	for _, f := range o.Fields() {
		_, set := input[f.Name]
		if len(args) == 0 || !f.Arg || set {
			continue
		}
		if !f.isFor(args[0]) {
			if f.Else != "" && len(args) > waiting(o, input, f) && input[f.Else] == nil {
				input[f.Else], args = args[0], args[1:]
			}
			continue
		}
		if f.Kind == Strings {
			input[f.Name], args = args, nil
			continue
		}
		input[f.Name], args = f.Word(args[0]), args[1:]
	}
	if len(args) > 0 {
		return fault.New(fault.InvalidInput, "%s does not take the argument %q", o.Verb, args[0]).WithHint("%s", argumentHint(o))
	}
	return nil
}

// refFirst moves a ref to the front of the arguments, for an operation whose first argument is a ref.
func refFirst(o Op, args []string) []string {
	first := slices.IndexFunc(o.Fields(), func(f Field) bool { return f.Arg })
	at := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "@") })
	if first < 0 || at <= 0 || o.Fields()[first].Match == nil || !o.Fields()[first].Match.MatchString(args[at]) {
		return args
	}
	return slices.Concat(args[at:at+1], args[:at], args[at+1:])
}

// slips is the largest difference in length between a word and a choice for which the word may be a misspelling.
const slips = 2

// isFor reports whether a word is meant for the field. That includes a misspelled choice; its refusal then names the choice.
func (f Field) isFor(word string) bool {
	if f.Else != "" && len(f.Enum) > 0 && !slices.Contains(f.Enum, word) {
		near := nearest.To(word, f.Enum, 1)
		return len(near) > 0 && max(len(word), len(near[0]))-min(len(word), len(near[0])) <= slips
	}
	return f.Match == nil || f.Match.MatchString(word)
}

// waiting counts the arguments that the fields after a field still need.
func waiting(o Op, input map[string]any, after Field) (n int) {
	for i := len(o.Fields()) - 1; i >= 0 && o.Fields()[i].Name != after.Name; i-- {
		if f := o.Fields()[i]; f.Arg && input[f.Name] == nil {
			n++
		}
	}
	return n
}

func argumentHint(o Op) string {
	for _, f := range o.Fields() {
		if f.Arg && f.Match != nil {
			return fmt.Sprintf("%s is %s; all other inputs have a flag: see %s", f.Name, f.Doc, hint.Schema(o.id()))
		}
	}
	return "see " + hint.Schema(o.id())
}

// ParseArgs reads an operation's input from the words after its verb on a command line.
func ParseArgs(o Op, words []string) (map[string]any, error) {
	input := map[string]any{}
	var args []string
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag || name == "" {
			args = append(args, words[i])
			continue
		}
		name, value, given := strings.Cut(name, "=")
		short, isShort := shortNamed(o, name)
		f, err := Field{Name: short.Input, Kind: String}, error(nil)
		if !isShort {
			f, err = flagNamed(o, name)
		}
		if err != nil {
			return nil, err
		}
		switch {
		case given:
		case f.Kind == Bool:
			value = "true"
		case i+1 == len(words):
			return nil, fault.New(fault.InvalidInput, "%s: %q needs a value", o.Verb, "--"+name).With("field", f.Name)
		default:
			i++
			value = words[i]
		}
		if isShort {
			if err := short.Put(o, input, value); err != nil {
				return nil, err
			}
			continue
		}
		if name == f.TimeFlag() {
			value = InSeconds(value)
		}
		if _, twice := input[f.Name]; twice && f.Kind != Strings {
			return nil, fault.New(fault.InvalidInput, "%s: %q is given twice", o.Verb, "--"+name).With("field", f.Name)
		}
		if f.Kind == Strings {
			list, _ := input[f.Name].([]string)
			input[f.Name] = append(list, value)
		} else {
			input[f.Name] = f.Word(value)
		}
	}
	return input, Place(o, input, args)
}

// InSeconds adds the unit to a time of a command line: a number without a unit is in seconds, in every verb.
func InSeconds(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return text
	}
	return text + "s"
}

func shortNamed(o Op, name string) (Short, bool) {
	all := o.Shorts()
	i := slices.IndexFunc(all, func(s Short) bool { return s.Flag == Field{Name: name}.Flag() })
	if i < 0 {
		return Short{}, false
	}
	return all[i], true
}

// flagNamed finds the field of a flag, in any spelling of its name.
func flagNamed(o Op, name string) (Field, error) {
	var names []string
	spelled := Field{Name: name}.Flag()
	for _, f := range o.Fields() {
		if f.Flag() == spelled && !f.NoFlag {
			return f, nil
		}
		names = append(names, f.Flag())
	}
	for _, f := range o.Fields() {
		if f.TimeFlag() == spelled && !f.NoFlag {
			return f, nil
		}
	}
	e := fault.New(fault.InvalidInput, "%s: unknown flag %q", o.Verb, "--"+name)
	if near := nearest.To(name, names, 1); len(near) > 0 {
		return Field{}, e.WithHint("did you mean %q?", "--"+near[0])
	}
	return Field{}, e.WithHint("see %s", hint.Schema(o.id()))
}

// Words splits a line of a batch into the words of a command line.
func Words(line string) ([]string, error) {
	split, whole := words.Split(line)
	if !whole {
		return nil, fault.New(fault.InvalidInput, "the line %q ends inside a quotation", line).WithHint("close the quote")
	}
	return split, nil
}
