package xcodebuild

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// What the virtual compiler reads of a Swift file: comments that say what a compiler or a test would report.
//
//	let total = pricee // virtual: error: cannot find 'pricee' in scope
//	XCTAssertEqual(a, b) // virtual: fails: XCTAssertEqual failed: ("1") is not equal to ("2")
//
// What a compiler says: error, warning, note, and analyze (a warning that only the action analyze gives).
//
// What goes wrong around it, wherever in the target the comment stands:
//
//	// virtual: undefined: _OBJC_CLASS_$_Printer      a symbol the linker does not find
//	// virtual: link: library 'ssl' not found         any other error of the linker
//	// virtual: script: SwiftLint: 3 violations       the script phase of that name fails, after printing the rest
//	// virtual: sign: Signing for "Shop" requires …   signing is refused, except for simulators, which need none
//	// virtual: package: no versions of 'x' match …   packages cannot be resolved; also in a Package.swift
//
// What a test does: fails, skips, expected (a failure), crashes (with the message of the fatal error), passes (from that
// run of it on, for tests that are repeated), takes (seconds), measures (seconds, separated by commas), prints (a line),
// warns (a runtime warning) and attaches (a file of that name).
//
// A function that tests do not run through is uncovered.
const markPrefix = "// virtual: "

// maxSource bounds a file.
const maxSource = 4 << 20

// source is a Swift file, read.
type source struct {
	path      string
	lines     int
	issues    []issue
	troubles  []trouble
	tests     []testCase
	functions []function
}

// issue is a diagnostic of the compiler; line and column count from one.
type issue struct {
	severity, message, path, text string
	line, column, width           int
	kind                          string // what result bundles call it; empty is what they call those of Swift
}

// trouble is what goes wrong outside the compiler.
type trouble struct {
	kind, text string
	line       int
	function   string // that the comment stands in
}

// troubleKinds are the comments that speak of a target, not of a line or a test.
var troubleKinds = []string{"undefined", "link", "script", "sign", "package"}

// testCase is a test found in a file. Its fields are exported because products carry them.
type testCase struct {
	Suite, SuiteDisplay, Name, Display, File string
	Swift                                    bool
	Arguments                                []string
	Fails                                    []failMark
	Skips, Expected                          string
	Skipped, Fine                            bool // Fine: it fails, as expected
	SkipLine                                 int
	Takes                                    float64
	Crashes                                  *failMark
	Passes                                   int // the run from which on it passes; 0 is never
	Measures                                 []float64
	MeasureLine                              int
	Prints, Warns, Attaches, Tags            []string
}

type failMark struct {
	Line, Column int
	Message      string
}

// function is code that coverage is counted for.
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

// newIssue finds where on its line a message points: at what it quotes first, else at the first character.
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

// labels makes increment(by:) of the parameters of a function.
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

// arguments are those of a parameterised test, if they are written out.
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

// tags are those of a Swift Testing test, without their leading dots.
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
