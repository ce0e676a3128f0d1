package xcresult

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/tool"
)

// Tool is one call of xcresulttool.
type Tool struct{ tool.Call }

// exitUsage is the exit status for wrong arguments.
const exitUsage = 64

// query holds the options of a command.
type query struct {
	path, id, testID, format      string
	kind, output, baseline        string // --type, --output-path, --baseline-path
	compact, legacy, onlyFailures bool
	parts                         map[string]bool // what a comparison is to show; all if none is asked for
	others                        []string        // arguments without a name
	named                         []string        // options that are given
	dir                           string
}

// command is a command that reads a bundle.
type command struct {
	name    []string
	usage   string
	answer  func(Bundle, query) (any, error)
	alone   func(Tool, query) error // instead of answer: prints or writes by itself
	testID  bool                    // needs --test-id
	output  bool                    // needs --output-path
	several bool                    // takes bundles without a name, and no --path
	legacy  bool                    // needs --legacy
	slashes bool                    // escapes them
}

const exportUsage = " --path <path> --output-path <output-path>"

const modern = " --path <path> [--schema] [--schema-version <schema-version>] [--compact]"

// commands are checked in order; the first whose words begin the command line wins.
func commands() []command {
	return []command{
		{name: []string{"get", "test-results", "summary"}, usage: modern, answer: summary},
		{name: []string{"get", "test-results", "tests"}, usage: modern, answer: tests},
		{name: []string{"get", "test-results", "test-details"}, usage: " --test-id <test-id>" + modern, answer: details, testID: true},
		{name: []string{"get", "test-results", "activities"}, usage: " --test-id <test-id>" + modern, answer: activities, testID: true},
		{name: []string{"get", "test-results", "insights"}, usage: modern, answer: insights},
		{name: []string{"get", "test-results", "metrics"}, usage: " [--test-id <test-id>]" + modern, answer: metrics},
		{name: []string{"get", "build-results"}, usage: modern, answer: buildResults},
		{name: []string{"get", "content-availability"}, usage: modern, answer: availability},
		{name: []string{"get", "log"}, usage: " --type <type>" + modern, answer: getLog},
		{name: []string{"export", "attachments"}, usage: exportUsage + " [--test-id <test-id>] [--only-failures]", alone: exportAttachments,
			output: true},
		{name: []string{"export", "metrics"}, usage: exportUsage + " [--test-id <test-id>]", alone: exportMetrics, output: true},
		{name: []string{"export", "diagnostics"}, usage: exportUsage, alone: exportDiagnostics, output: true},
		{name: []string{"export", "object"}, usage: " --legacy --type <type>" + exportUsage + " --id <id>", alone: exportObject,
			output: true, legacy: true},
		{name: []string{"export"}, usage: " --legacy --type <type>" + exportUsage + " --id <id>", alone: exportObject, output: true,
			legacy: true},
		{name: []string{"compare"}, usage: " <comparison-path> --baseline-path <baseline-path> [--summary] [--test-failures] [--tests] " +
			"[--build-warnings] [--analyzer-issues]", alone: compareBundles, several: true},
		{name: []string{"merge"}, usage: " <input-paths> ... --output-path <output-path>", alone: mergeBundles, output: true,
			several: true},
		{name: []string{"get", "object"}, usage: legacyUsage, answer: legacy, legacy: true, slashes: true},
		{name: []string{"get"}, usage: legacyUsage, answer: legacy, legacy: true, slashes: true},
	}
}

const legacyUsage = " [--legacy] --path <path> [--id <id>] [--version <version>] [--format <format>]"

// Run plays one command line.
func (t Tool) Run() int {
	argv := t.Args
	if len(argv) > 0 && (argv[0] == "version" || argv[0] == "--version") {
		fmt.Fprintln(t.Stdout, "xcresulttool version 23714, schema version: 0.1.0 (legacy commands format version: 3.53)")
		return 0
	}
	if wanted, asked := helpFor(argv); asked {
		t.help(wanted)
		return 0
	}
	for _, c := range commands() {
		if len(argv) >= len(c.name) && slices.Equal(argv[:len(c.name)], c.name) {
			return t.run(c, argv[len(c.name):])
		}
	}
	word := strings.Join(argv[:min(1, len(argv))], "")
	fmt.Fprintf(t.Stderr, "Error: Unexpected argument '%s'\nUsage: xcresulttool <subcommand>\n  See 'xcresulttool --help' for more "+
		"information.\n", word)
	return exitUsage
}

func (t Tool) run(c command, argv []string) int {
	q, problem := parse(argv)
	q.dir = t.Dir
	switch {
	case c.lacks(q.named) != "":
		problem = fmt.Sprintf("Unknown option '%s'", c.lacks(q.named))
	case problem != "":
	case c.legacy && !q.legacy:
		problem = "This command is deprecated and will be removed in a future release, --legacy flag is required to use it."
	case !c.several && len(q.others) > 0:
		problem = fmt.Sprintf("Unexpected argument '%s'", q.others[0])
	case !c.several && q.path == "":
		problem = "Missing expected argument '--path <path>'"
	case c.several && len(q.others) == 0:
		problem = "Missing expected argument '<path>'"
	case c.testID && q.testID == "":
		problem = "Missing expected argument '--test-id <test-id>'"
	case c.output && q.output == "":
		problem = "Missing expected argument '--output-path <output-path>'"
	}
	if problem != "" {
		return t.refuse(c, problem)
	}
	err := t.answer(c, q)
	if usage, is := err.(usageError); is {
		return t.refuse(c, string(usage))
	}
	if err != nil {
		fmt.Fprintf(t.Stderr, "Error: %v\n", err)
		return 1
	}
	return 0
}

// lacks is the first option that the usage of a command does not name.
func (c command) lacks(named []string) string {
	all := strings.FieldsFunc(c.usage, func(r rune) bool { return strings.ContainsRune(" []", r) })
	for _, name := range named {
		if !slices.Contains(all, name) {
			return name
		}
	}
	return ""
}

// usageError is an error about arguments that only the command can detect.
type usageError string

func (u usageError) Error() string { return string(u) }

func (t Tool) answer(c command, q query) error {
	if c.alone != nil {
		return c.alone(t, q)
	}
	b, err := Read(q.abs(q.path))
	if err != nil {
		return err
	}
	v, err := c.answer(b, q)
	if err != nil {
		return err
	}
	fmt.Fprint(t.Stdout, encode(v, q, c))
	return nil
}

// abs is a path of the command line.
func (q query) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(q.dir, path)
}

func encode(v any, q query, c command) string {
	if q.compact {
		return compact(v)
	}
	return applejson.Style{PlainSlashes: !c.slashes}.Encode(v)
}

func (t Tool) refuse(c command, problem string) int {
	name := strings.Join(c.name, " ")
	if c.legacy && len(c.name) == 1 {
		name += " object"
	}
	fmt.Fprintf(t.Stderr, "Error: %s\nUsage: xcresulttool %s%s\n  See 'xcresulttool %s --help' for more information.\n", problem,
		name, c.usage, name)
	return exitUsage
}

// parse reads the options; problem is the tool's error message.
func parse(argv []string) (q query, problem string) {
	ignored := ""
	values := map[string]*string{"--path": &q.path, "--id": &q.id, "--test-id": &q.testID, "--format": &q.format,
		"--version": &ignored, "--schema-version": &ignored, "--type": &q.kind, "--output-path": &q.output, "--baseline-path": &q.baseline}
	flags := map[string]*bool{"--compact": &q.compact, "--legacy": &q.legacy, "--only-failures": &q.onlyFailures}
	q.parts = map[string]bool{}
	for i := 0; i < len(argv); i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		target, takes := values[name]
		flag, is := flags[argv[i]]
		if strings.HasPrefix(name, "-") {
			q.named = append(q.named, name)
		}
		switch {
		case is:
			*flag = true
		case slices.Contains(comparisonParts, argv[i]):
			q.parts[argv[i]] = true
		case !takes && strings.HasPrefix(argv[i], "-"):
			return q, fmt.Sprintf("Unknown option '%s'", argv[i])
		case !takes:
			q.others = append(q.others, argv[i])
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
