package xcresult

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// place is a case and its position.
type place struct {
	bundle TestBundle
	suite  Suite
	Case
}

// cases are all tests of the bundle.
func (b Bundle) cases() iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, t := range b.Tests {
			for _, s := range t.Suites {
				for _, c := range s.Cases {
					if !yield(place{t, s, c}) {
						return
					}
				}
			}
		}
	}
}

// counts are the numbers of tests by result; runs counts each argument of a test.
func (b Bundle) counts(runs bool) map[string]int {
	n := map[string]int{}
	for c := range b.cases() {
		if runs && len(c.Arguments) > 0 {
			n[c.Result] += len(c.Arguments)
			continue
		}
		n[c.Result]++
	}
	return n
}

// Outcome is the result of the whole run.
func (b Bundle) Outcome() string {
	n := b.counts(false)
	switch {
	case n[Failed] > 0 || b.Build.Status == "failed":
		return Failed
	case n[Passed] == 0 && n[ExpectedFailure] == 0 && n[Skipped] > 0:
		return Skipped
	}
	return Passed
}

// worst is the result of a group of tests.
func worst(results ...string) string {
	rank := map[string]int{Skipped: 1, ExpectedFailure: 2, Passed: 3, Failed: 4}
	out := Skipped
	for _, r := range results {
		if rank[r] > rank[out] {
			out = r
		}
	}
	return out
}

// identifier is a test's identifier in the tools, such as Suite/test().
func (p place) identifier() string {
	if p.suite.Name == "" {
		return p.Name
	}
	return p.suite.Name + "/" + p.Name
}

func (p place) title() string {
	if p.Display != "" {
		return p.Display
	}
	return p.Name
}

// url is the identifier as a URL; tests of XCTest have no parentheses there.
func (b Bundle) url(parts ...string) string {
	all := "test://com.apple.xcode/" + escapePath(b.Project)
	for _, p := range parts {
		if p != "" {
			all += "/" + escapePath(p)
		}
	}
	return all
}

func (b Bundle) caseURL(p place) string {
	name := p.Name
	if !p.Swift {
		name = strings.TrimSuffix(name, "()")
	}
	return b.url(p.bundle.Name, p.suite.Name, name)
}

func escapePath(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "%", "%25"), " ", "%20")
}

// text is a failure as the tools print it; a crash has no location.
func (f Failure) text() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File[strings.LastIndex(f.File, "/")+1:], f.Line, f.Message)
}

// short is a duration in a table: two significant digits below a second, whole seconds above.
func short(seconds float64) string {
	if seconds < 1 {
		return digits(seconds) + "s"
	}
	if whole := int(seconds); whole >= 60 {
		return fmt.Sprintf("%dm %ds", whole/60, whole%60)
	}
	return fmt.Sprintf("%ds", int(seconds))
}

// long is a duration in a sentence.
func long(seconds float64) string {
	if seconds < 1 {
		return digits(seconds) + " seconds"
	}
	whole := int(seconds)
	if whole >= 60 {
		return plural(whole/60, "minute") + ", " + plural(whole%60, "second")
	}
	return plural(whole, "second")
}

func digits(seconds float64) string {
	if seconds <= 0 {
		return "0"
	}
	scale := math.Pow(10, 1-math.Floor(math.Log10(seconds)))
	return strconv.FormatFloat(math.Round(seconds*scale)/scale, 'f', -1, 64)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// id is a reference into the bundle, in the real format.
func (b Bundle) id(what string) string {
	sum := sha512.Sum512(fmt.Append(nil, what, "\x00", b.Title, "\x00", b.Start))
	return "0~" + base64.URLEncoding.EncodeToString(sum[:])
}
