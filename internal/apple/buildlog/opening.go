package buildlog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/text/lazyregexp"
)

var (
	openings = map[string]func(*Reader) func(string) bool{
		"Failing tests:":                       (*Reader).readFailingTests,
		"Testing failed:":                      (*Reader).readTestingFailed,
		"The following build commands failed:": (*Reader).readFailedSteps,
		"Resolved source packages:":            (*Reader).readPackages,
		"Command line invocation:":             (*Reader).readInvocation,
		"Result bundle written to path:":       (*Reader).readBundle,
		"Writing result bundle at path:":       (*Reader).readBundle,
	}
	sessionResults = lazyregexp.New(`^Test session results(?:, code coverage,)? and logs:$`)
	bundleInLine   = lazyregexp.New(`(?:Writing error result bundle to|Result bundle written to(?: path:)?` +
		`|Writing result bundle at path:)\s+(/.+\.xcresult)$`)
	loneBundle   = lazyregexp.New(`^\s*(/.+\.xcresult)/?$`)
	failureCount = lazyregexp.New(`^\(\d+ failures?\)$`)
)

// opening reads the line above a list.
func (r *Reader) opening(s string) bool {
	open := openings[strings.TrimSpace(s)]
	switch {
	case open != nil && s[0] != ' ':
	case strings.HasPrefix(s, "Test session results") && sessionResults.MatchString(s):
		open = (*Reader).readBundle
	case strings.HasSuffix(s, ".xcresult"):
		m := bundleInLine.FindStringSubmatch(s)
		if m == nil {
			m = loneBundle.FindStringSubmatch(s)
		}
		if m == nil {
			return false
		}
		r.closeCurrent()
		r.bundle(m[1])
		return true
	default:
		return false
	}
	r.closeCurrent()
	r.block = open(r)
	return true
}

func (r *Reader) bundle(path string) {
	if !slices.Contains(r.log.Bundles, path) {
		r.add(&r.log.Bundles, path)
	}
}

func (r *Reader) readBundle() func(string) bool {
	return func(s string) bool {
		m := loneBundle.FindStringSubmatch(s)
		if m != nil {
			r.bundle(m[1])
		}
		return m != nil
	}
}

func indented(s string) bool { return s != "" && (s[0] == '\t' || s[0] == ' ') }

func (r *Reader) readInvocation() func(string) bool {
	done := false
	return func(s string) bool {
		if done {
			return false
		}
		line := strings.TrimSpace(s)
		if line == "" {
			return true
		}
		done = true
		if !indented(s) && !strings.HasPrefix(s, "/") {
			return false
		}
		if r.log.Invocation == "" {
			r.log.Invocation = line
		}
		return true
	}
}

// readFailingTests reads the names; a line that ends in a colon is the bundle of the names below it.
func (r *Reader) readFailingTests() func(string) bool {
	return func(s string) bool {
		if !indented(s) {
			return false
		}
		if name := strings.TrimSpace(s); !strings.HasSuffix(name, ":") && !slices.Contains(r.log.FailingTests, name) {
			r.add(&r.log.FailingTests, name)
		}
		return true
	}
}

func (r *Reader) readFailedSteps() func(string) bool {
	return func(s string) bool {
		if failureCount.MatchString(s) {
			return true
		}
		if !indented(s) {
			return false
		}
		if step := strings.TrimSpace(s); !slices.Contains(r.log.FailedSteps, step) {
			r.add(&r.log.FailedSteps, step)
		}
		return true
	}
}

func (r *Reader) readPackages() func(string) bool {
	return func(s string) bool {
		if s == "" {
			return true
		}
		if !indented(s) {
			return false
		}
		r.add(&r.log.Packages, strings.TrimSpace(s))
		return true
	}
}

// readTestingFailed reads why testing stopped. It lists compiler errors again, with a capital letter.
func (r *Reader) readTestingFailed() func(string) bool {
	target := ""
	return func(s string) bool {
		if !indented(s) {
			return false
		}
		item := strings.TrimSpace(s)
		if name, ok := strings.CutSuffix(item, ":"); ok && !strings.Contains(name, " ") {
			target = name
			return true
		}
		if r.isKnown(item) {
			return true
		}
		d := Diagnostic{Severity: Error, Message: item, Count: 1, Tool: "xcodebuild"}
		if d.Category = r.categorise(d); d.Category == Other {
			d.Category = Testing
		}
		if target != "" {
			d.Targets = []string{target}
		}
		r.commit(d)
		return true
	}
}

func (r *Reader) isKnown(message string) bool {
	for i := range r.log.Diagnostics {
		if d := &r.log.Diagnostics[i]; d.Severity.Bad() && (d.Message == message || capital(d.Message) == message) {
			return true
		}
	}
	return false
}

func capital(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(c)) + s[n:]
}
