package idb

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// kind is the type of a value.
type kind int

const (
	anything kind = iota
	wholeNumber
	number
)

// positional is an argument identified by its place.
type positional struct {
	name    string
	kind    kind
	choices []string
	many    bool // the rest of the line, possibly empty
}

// option is an argument identified by its name; without a value it is a flag.
type option struct {
	value   string
	kind    kind
	choices []string
}

// everywhere are the options of every command.
var everywhere = map[string]option{"--udid": {value: "UDID"}, "--json": {}, "--companion": {value: "COMPANION"},
	"--log": {value: "LOG"}, "--help": {}}

var short = map[string]string{"-h": "--help", "-f": "--foreground-if-running", "-w": "--wait-for", "-d": "--wait-for-debugger"}

// arguments is a parsed command line.
type arguments struct {
	options map[string]string
	words   map[string]string
	rest    []string // the values of a positional that takes several
}

func (a arguments) has(name string) bool     { _, ok := a.options[name]; return ok }
func (a arguments) value(name string) string { return a.options[name] }

// whole returns a positional that was parsed as an integer.
func (a arguments) whole(name string) int {
	n, _ := strconv.Atoi(a.words[name]) // already validated
	return n
}

// float returns an option that was parsed as a number.
func (a arguments) float(name string, otherwise float64) float64 {
	if !a.has(name) {
		return otherwise
	}
	n, _ := strconv.ParseFloat(a.options[name], 64) // already validated
	return n
}

// usageError is an error about a command line, in the words of Python's argparse.
type usageError struct{ usage, name, message string }

func (u usageError) Error() string { return u.message }

func (f command) wrong(format string, args ...any) error {
	return usageError{f.usage(), "idb " + f.words, fmt.Sprintf(format, args...)}
}

func (f command) usage() string {
	parts := []string{"idb " + f.words, "[-h] [--udid UDID] [--json]"}
	for _, name := range slices.Sorted(maps.Keys(f.options)) {
		parts = append(parts, strings.TrimSpace("["+name+" "+f.options[name].value)+"]")
	}
	for _, p := range f.takes {
		switch {
		case p.many:
			parts = append(parts, "["+p.name+" ...]")
		case p.choices != nil:
			parts = append(parts, "{"+strings.Join(p.choices, ",")+"}")
		default:
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, " ")
}

// parse reads a command line.
func (f command) parse(argv []string) (arguments, error) {
	a := arguments{options: map[string]string{}, words: map[string]string{}}
	known := with(everywhere, f.options)
	var words []string
	for i := 0; i < len(argv); i++ {
		name, value, inline := strings.Cut(argv[i], "=")
		if full, is := short[name]; is {
			name = full
		}
		o, is := known[name]
		switch {
		case argv[i] == "--":
			words = append(words, argv[i+1:]...)
			i = len(argv)
		case !is && optional(argv[i]):
			return a, f.wrong("unrecognized arguments: %s", argv[i])
		case !is:
			words = append(words, argv[i])
		case o.value == "":
			a.options[name] = ""
		default:
			if !inline {
				if i++; i == len(argv) {
					return a, f.wrong("argument %s: expected one argument", name)
				}
				value = argv[i]
			}
			if err := f.check(name, value, o.kind, o.choices); err != nil {
				return a, err
			}
			a.options[name] = value
		}
	}
	if a.has("--help") {
		return a, nil
	}
	return a, f.place(&a, words)
}

// optional reports whether a word is an option; a negative number is not.
func optional(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err != nil
}

// place assigns the words to the positionals.
func (f command) place(a *arguments, words []string) error {
	var missing []string
	for _, p := range f.takes {
		switch {
		case p.many:
			a.rest, words = words, nil
			for _, w := range a.rest {
				if err := f.check(p.name, w, p.kind, p.choices); err != nil {
					return err
				}
			}
		case len(words) == 0:
			missing = append(missing, p.name)
		default:
			if err := f.check(p.name, words[0], p.kind, p.choices); err != nil {
				return err
			}
			a.words[p.name], words = words[0], words[1:]
		}
	}
	if missing != nil {
		return f.wrong("the following arguments are required: %s", strings.Join(missing, ", "))
	}
	if len(words) > 0 {
		return f.wrong("unrecognized arguments: %s", strings.Join(words, " "))
	}
	return nil
}

func (f command) check(name, value string, k kind, choices []string) error {
	if choices != nil && !slices.Contains(choices, value) {
		return f.wrong("argument %s: invalid choice: '%s' (choose from '%s')", name, value, strings.Join(choices, "', '"))
	}
	if _, err := strconv.Atoi(value); k == wholeNumber && err != nil {
		return f.wrong("argument %s: invalid int value: '%s'", name, value)
	}
	if _, err := strconv.ParseFloat(value, 64); k == number && err != nil {
		return f.wrong("argument %s: invalid float value: '%s'", name, value)
	}
	return nil
}
