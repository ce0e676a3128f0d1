package xcodebuild

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// markPrefix begins the comments that give messages of the compiler and results of tests; docs/virtual-apps.md has all of them. A test
// without a result is not run, and is reported as skipped.
const markPrefix = "// virtual: "

// maxSource is the maximum size of a file.
const maxSource = 4 << 20

// source is a parsed Swift file.
type source struct {
	path      string
	lines     int
	issues    []issue
	troubles  []trouble
	tests     []testCase
	functions []function
	missing   bool // the file does not exist
}

// issue is a diagnostic of the compiler; line and column count from one.
type issue struct {
	severity, message, path, text string
	line, column, width           int
	kind                          string // its type in result bundles; empty is the type of Swift diagnostics
}

// trouble is an error outside the compiler.
type trouble struct {
	kind, text string
	line       int
	function   string // of the comment
}

// troubleKinds are the comments about a target, as opposed to a line or a test.
var troubleKinds = []string{"undefined", "link", "script", "sign", "package"}

// testCase is a test in a file. Its fields are exported because products contain them.
type testCase struct {
	Suite, SuiteDisplay, Name, Display, File string
	Swift                                    bool
	Arguments                                []string
	Fails                                    []failMark
	Skips, Expected                          string
	Skipped, Fine                            bool // fails as expected, which counts as a success
	SkipLine                                 int  // of the comment, or of the test
	Takes                                    float64
	Crashes                                  *failMark
	Passes                                   int // the first run that passes; 0: not known
	Measures                                 []float64
	MeasureLine                              int
	Prints, Warns, Attaches, Tags            []string
}

type failMark struct {
	Line, Column int
	Message      string
}

// function is a part of a file with its own coverage.
type function struct {
	Name       string
	Line       int
	Executable []int
	Uncovered  bool
}

func readSource(path string) (source, error) {
	data, err := regularfile.Read(path, maxSource)
	if err != nil {
		return source{}, err
	}
	return scan(path, string(data)), nil
}

var (
	stringLiteral = lazyregexp.New(`"(?:\\.|[^"\\])*"`)
	typeDecl      = lazyregexp.New(`\b(?:struct|class|actor|enum|extension)\s+([A-Za-z_]\w*)\s*(?::\s*([^{]*))?`)
	funcDecl      = lazyregexp.New("\\bfunc\\s+`?([^(`<]+)`?\\s*(?:<[^>]*>)?\\(([^)]*)\\)")
	propertyDecl  = lazyregexp.New(`\bvar\s+(\w+)\s*:[^={]*\{\s*$`)
	attribute     = lazyregexp.New(`@(Test|Suite)\b(?:\((.*)\))?`)
	displayName   = lazyregexp.New(`^\s*"((?:\\.|[^"\\])*)"`)
	argumentList  = lazyregexp.New(`arguments:\s*\[([^\]]*)\]`)
	tagList       = lazyregexp.New(`\.tags\(([^)]*)\)`)
	quotedToken   = lazyregexp.New(`'([^']+)'`)
)

// newIssue finds the column of a message: at its first quoted text, else at the first character.
func newIssue(path string, line int, code, severity, message string) issue {
	code = strings.TrimRight(code, " \t\r\n")
	at, width := len(code)-len(strings.TrimLeft(code, " \t")), 1
	if m := quotedToken.FindStringSubmatch(message); m != nil {
		if i := strings.Index(code, m[1]); i >= 0 {
			at, width = i, utf8.RuneCountInString(m[1])
		}
	}
	return issue{severity: severity, message: message, path: path, text: code, line: line, column: at + 1, width: width}
}

// labels builds increment(by:) from the parameters of a function.
func labels(name, parameters string) string {
	out := strings.TrimSpace(name) + "("
	for p := range strings.SplitSeq(parameters, ",") {
		head, _, ok := strings.Cut(p, ":")
		if words := strings.Fields(head); ok && len(words) > 0 {
			out += words[0] + ":"
		}
	}
	return out + ")"
}

// arguments are the arguments of a parameterised test, if they are literals.
func arguments(attribute string) (all []string) {
	m := argumentList.FindStringSubmatch(attribute)
	if m == nil {
		return nil
	}
	for a := range strings.SplitSeq(m[1], ",") {
		if a = strings.TrimSpace(a); a != "" {
			all = append(all, a)
		}
	}
	return all
}

func seconds(text string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || f < 0 {
		return 0
	}
	return f
}

// tags are the tags of a Swift Testing test, without leading dots.
func tags(attribute string) (all []string) {
	m := tagList.FindStringSubmatch(attribute)
	if m == nil {
		return nil
	}
	for tag := range strings.SplitSeq(m[1], ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "."); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

func manySeconds(text string) (all []float64) {
	for part := range strings.SplitSeq(text, ",") {
		all = append(all, seconds(part))
	}
	return all
}
