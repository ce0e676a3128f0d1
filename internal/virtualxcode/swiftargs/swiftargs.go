// Package swiftargs reads command lines like swift-argument-parser, which AXe, devicectl and other newer Apple tools use. Parse takes a
// line apart for a Command; its errors (Wrong) have the parser's words.
package swiftargs

import (
	"fmt"
	"io"
	"strings"
)

// ExitUsage is the exit status for a wrong command line.
const ExitUsage = 64

// Command declares the options and words of a command.
type Command struct {
	Name     string            // full name, such as "axe tap"
	Usage    string            // the words after the name
	Options  map[string]bool   // by name: whether it takes a value
	Short    map[string]string // the full name of a short option
	Required []Required
	Words    int  // the number of words; Many is any number
	Passes   bool // from the first word on, unknown options are words
}

// Many is any number of words.
const Many = 1 << 30

// Required is an option that must be given.
type Required struct{ Option, Value, Help string }

// Args is a parsed command line.
type Args struct {
	Options map[string][]string // every value in order; empty strings for a flag
	Words   []string
}

// Has reports whether an option was given.
func (a Args) Has(name string) bool { return len(a.Options[name]) > 0 }

// Value returns the last value given for an option.
func (a Args) Value(name string) string {
	all := a.Options[name]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// Wrong is an error about a command line, in the words of the parser.
type Wrong string

func (w Wrong) Error() string { return string(w) }

// Refuse returns an error about a command line.
func Refuse(format string, args ...any) error { return Wrong(fmt.Sprintf(format, args...)) }

// Parse reads a command line; its errors are Wrong.
func (c Command) Parse(argv []string) (Args, error) {
	p := parsing{Command: c, Args: Args{Options: map[string][]string{}}, rest: argv}
	for len(p.rest) > 0 {
		if err := p.next(); err != nil {
			return p.Args, err
		}
	}
	for _, r := range c.Required {
		if p.Value(r.Option) == "" && !p.Has("--help") {
			return p.Args, Refuse("Missing expected argument '%s <%s>'\nHelp:  %s <%s>  %s", r.Option, r.Value, r.Option, r.Value, r.Help)
		}
	}
	return p.Args, nil
}

type parsing struct {
	Command
	Args
	rest []string
}

func (p *parsing) next() error {
	arg := p.rest[0]
	p.rest = p.rest[1:]
	if arg == "--" {
		for _, word := range p.rest {
			if err := p.word(word); err != nil {
				return err
			}
		}
		p.rest = nil
		return nil
	}
	name, value, inline := strings.Cut(arg, "=")
	if full, is := p.Short[name]; is {
		name = full
	}
	takes, known := p.Command.Options[name]
	switch {
	case known && !takes:
		value = ""
	case known && !inline:
		if len(p.rest) == 0 {
			return Refuse("Missing value for '%s <%s>'", name, strings.TrimLeft(name, "-"))
		}
		value, p.rest = p.rest[0], p.rest[1:]
	case !known && looksLikeOption(arg) && !(p.Passes && len(p.Args.Words) > 0):
		return Refuse("Unknown option '%s'", name)
	case !known:
		return p.word(arg)
	}
	p.Args.Options[name] = append(p.Args.Options[name], value)
	return nil
}

// looksLikeOption reports whether a word has the form of an option; a negative number does not.
func looksLikeOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] < '0' || arg[1] > '9')
}

func (p *parsing) word(word string) error {
	if len(p.Args.Words) >= p.Command.Words {
		return Refuse("Unexpected argument '%s'", word)
	}
	p.Args.Words = append(p.Args.Words, word)
	return nil
}

// Report prints the error of a command line on stderr and returns the exit status.
func (c Command) Report(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "Error: %v\nUsage: %s\n  See '%s --help' for more information.\n", err,
		strings.TrimSpace(c.Name+" "+c.Usage), c.Name)
	return ExitUsage
}
