package xcresult

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
)

// Tool is xcresulttool, played by this process.
type Tool struct {
	Stdout, Stderr io.Writer
	Dir            string // what relative paths start from; empty is the process's own
}

// exitUsage is what the tool exits with on arguments that do not fit.
const exitUsage = 64

// query is the options of a command.
type query struct {
	path, id, testID, format string
	compact, legacy          bool
}

// command is something that can be got from a bundle.
type command struct {
	name    []string
	usage   string
	answer  func(Bundle, query) (any, error)
	testID  bool // needs --test-id
	legacy  bool // needs --legacy
	slashes bool // escapes them
}

const modern = " --path <path> [--schema] [--schema-version <schema-version>] [--compact]"

// commands are looked through in order; the first whose words begin the command line is it.
func commands() []command {
	return []command{
		{name: []string{"get", "test-results", "summary"}, usage: modern, answer: summary},
		{name: []string{"get", "test-results", "tests"}, usage: modern, answer: tests},
		{name: []string{"get", "test-results", "test-details"}, usage: " --test-id <test-id>" + modern, answer: details, testID: true},
		{name: []string{"get", "test-results", "activities"}, usage: " --test-id <test-id>" + modern, answer: activities, testID: true},
		{name: []string{"get", "test-results", "insights"}, usage: modern, answer: insights},
		{name: []string{"get", "build-results"}, usage: modern, answer: buildResults},
		{name: []string{"get", "object"}, usage: legacyUsage, answer: legacy, legacy: true, slashes: true},
		{name: []string{"get"}, usage: legacyUsage, answer: legacy, legacy: true, slashes: true},
	}
}

const legacyUsage = " [--legacy] --path <path> [--id <id>] [--version <version>] [--format <format>]"

// Run plays one command line.
func (t Tool) Run(argv []string) int {
	if len(argv) > 0 && (argv[0] == "version" || argv[0] == "--version") {
		fmt.Fprintln(t.Stdout, "xcresulttool version 23714, schema version: 0.1.0 (legacy commands format version: 3.53)")
		return 0
	}
	for _, c := range commands() {
		if len(argv) >= len(c.name) && slices.Equal(argv[:len(c.name)], c.name) {
			return t.run(c, argv[len(c.name):])
		}
	}
	word := strings.Join(argv[:min(1, len(argv))], "")
	fmt.Fprintf(t.Stderr, "Error: Unexpected argument '%s'\nUsage: xcresulttool <subcommand>\n  See 'xcresulttool --help' for more information.\n", word)
	return exitUsage
}

func (t Tool) run(c command, argv []string) int {
	q, problem := parse(argv)
	switch {
	case problem != "":
	case c.legacy && !q.legacy:
		problem = "This command is deprecated and will be removed in a future release, --legacy flag is required to use it."
	case q.path == "":
		problem = "Missing expected argument '--path <path>'"
	case c.testID && q.testID == "":
		problem = "Missing expected argument '--test-id <test-id>'"
	}
	if problem != "" {
		return t.refuse(c, problem)
	}
	if !filepath.IsAbs(q.path) {
		q.path = filepath.Join(t.Dir, q.path)
	}
	b, err := Read(q.path)
	if err != nil {
		fmt.Fprintf(t.Stderr, "Error: %v\n", err)
		return 1
	}
	v, err := c.answer(b, q)
	if err != nil {
		fmt.Fprintf(t.Stderr, "Error: %v\n", err)
		return 1
	}
	fmt.Fprint(t.Stdout, encode(v, q, c))
	return 0
}

func encode(v any, q query, c command) string {
	if q.compact {
		return compact(v)
	}
	return applejson.Style{PlainSlashes: !c.slashes}.Encode(v)
}

func (t Tool) refuse(c command, problem string) int {
	name := strings.Join(c.name, " ")
	if c.legacy {
		name = "get object"
	}
	fmt.Fprintf(t.Stderr, "Error: %s\nUsage: xcresulttool %s%s\n  See 'xcresulttool %s --help' for more information.\n", problem, name, c.usage, name)
	return exitUsage
}

// parse reads the options; problem is what the tool would say.
func parse(argv []string) (q query, problem string) {
	ignored := ""
	values := map[string]*string{"--path": &q.path, "--id": &q.id, "--test-id": &q.testID, "--format": &q.format,
		"--version": &ignored, "--schema-version": &ignored}
	flags := map[string]*bool{"--compact": &q.compact, "--legacy": &q.legacy}
	for i := 0; i < len(argv); i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		target, takes := values[name]
		flag, is := flags[argv[i]]
		switch {
		case is:
			*flag = true
		case !takes && strings.HasPrefix(argv[i], "-"):
			return q, fmt.Sprintf("Unknown option '%s'", argv[i])
		case !takes:
			return q, fmt.Sprintf("Unexpected argument '%s'", argv[i])
		case joined:
			*target = value
		case i+1 == len(argv):
			return q, fmt.Sprintf("Missing value for '%s'", argv[i])
		default:
			i++
			*target = argv[i]
		}
	}
	if q.format != "" && q.format != "json" {
		return q, fmt.Sprintf("The value '%s' is invalid for '--format <format>'", q.format)
	}
	return q, ""
}

func parseSeconds(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}
