package xcodebuild

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What the virtual compiler reads of a Swift file: comments that say what a compiler or a test would report.
//
//	let total = pricee // virtual: error: cannot find 'pricee' in scope
//	XCTAssertEqual(a, b) // virtual: fails: XCTAssertEqual failed: ("1") is not equal to ("2")
//
// The kinds are error, warning, note, fails, skips, expected (a failure), takes (seconds) and uncovered.
const markPrefix = "// virtual: "

// maxSource bounds a file.
const maxSource = 4 << 20

// source is a Swift file, read.
type source struct {
	path      string
	lines     int
	issues    []issue
	tests     []testCase
	functions []function
}

// issue is a diagnostic of the compiler; line and column count from one.
type issue struct {
	severity, message, path, text string
	line, column, width           int
}

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
	f, err := os.Open(path)
	if err != nil {
		return source{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	return scan(path, string(data)), err
}

var (
	stringLiteral = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	typeDecl      = regexp.MustCompile(`\b(?:struct|class|actor|enum|extension)\s+([A-Za-z_]\w*)\s*(?::\s*([^{]*))?`)
	funcDecl      = regexp.MustCompile("\\bfunc\\s+`?([^(`<]+)`?\\s*(?:<[^>]*>)?\\(([^)]*)\\)")
	propertyDecl  = regexp.MustCompile(`\bvar\s+(\w+)\s*:[^={]*\{\s*$`)
	attribute     = regexp.MustCompile(`@(Test|Suite)\b(?:\((.*)\))?`)
	displayName   = regexp.MustCompile(`^\s*"((?:\\.|[^"\\])*)"`)
	argumentList  = regexp.MustCompile(`arguments:\s*\[([^\]]*)\]`)
	quotedToken   = regexp.MustCompile(`'([^']+)'`)
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
	return issue{severity, message, path, code, line, at + 1, width}
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
