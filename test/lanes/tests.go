package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// event is a line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of a package, while it is built
	Test       string
	Output     string
	Elapsed    float64
}

// tests reads the output of a step: lines of `go test -json` become one line per package, other lines pass unchanged. The output of
// failing tests is printed at the end, where it is easy to find.
type tests struct {
	out    io.Writer
	took   map[string]time.Duration // by package and test
	said   map[string][]string
	failed []string
}

func (t *tests) line(text string) {
	var e event
	if !strings.HasPrefix(text, `{"`) || json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
		fmt.Fprintln(t.out, text)
		return
	}
	if t.said == nil {
		t.said, t.took = map[string][]string{}, map[string]time.Duration{}
	}
	name := strings.TrimSuffix(cmp.Or(e.Package, e.ImportPath)+" "+e.Test, " ")
	switch e.Action {
	case "output", "build-output":
		t.said[name] = append(t.said[name], e.Output)
	case "pass", "skip":
		t.ended(e, name)
		delete(t.said, name)
	case "fail", "build-fail":
		t.ended(e, name)
		t.failed = append(t.failed, name)
	}
}

// ended notes what a test or a package took, and says a package.
func (t *tests) ended(e event, name string) {
	took := time.Duration(e.Elapsed * float64(time.Second))
	t.took[name] = took
	if e.Test == "" && e.Action != "skip" {
		fmt.Fprintf(t.out, "%-5s %8s  %s\n", strings.ToUpper(e.Action), clock(took), e.Package)
	}
}

// parts are the tests without subtests, and the packages without listed tests, so that no time is counted twice.
func (t *tests) parts() (parts []part) {
	for _, name := range slices.Sorted(maps.Keys(t.took)) {
		if t.hasParts(name) || t.took[name] == 0 {
			continue
		}
		parts = append(parts, part{name: name, took: t.took[name]})
	}
	return parts
}

func (t *tests) hasParts(name string) bool {
	sep := "/"
	if !strings.Contains(name, " ") {
		sep = " "
	}
	for other := range t.took {
		if strings.HasPrefix(other, name+sep) && t.took[other] > 0 {
			return true
		}
	}
	return false
}

// printFailures tells what the failing tests printed.
func (t *tests) printFailures() {
	for _, name := range t.failed {
		if text := strings.Join(t.said[name], ""); strings.TrimSpace(text) != "" {
			fmt.Fprintf(t.out, "\n--- %s\n%s", name, text)
		}
	}
}
