package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
)

// TestLaneBudgetsStayBelowLimit keeps the time that people wait with warm caches: 40 minutes for the lanes that are, an hour with those to
// come.
func TestLaneBudgetsStayBelowLimit(t *testing.T) {
	whole := time.Duration(0)
	for _, l := range lanes {
		if most, promised := reserved[l.name]; promised && l.budget > most {
			t.Errorf("lane %s has %s, want at most %s", l.name, l.budget, most)
		}
		if _, promised := reserved[l.name]; !promised {
			whole += l.budget
		}
	}
	if most := 40 * time.Minute; whole > most {
		t.Errorf("the lanes have %s, want at most %s", whole, most)
	}
	for _, budget := range reserved {
		whole += budget
	}
	if whole > time.Hour {
		t.Errorf("with those to come the lanes have %s, want at most an hour", whole)
	}
}

// TestFirstLaneBeginsWithReadmeCommand: what a newcomer is told to run is what has to pass, before anything else.
func TestFirstLaneBeginsWithReadmeCommand(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "Run the tests:\n\n    ")
	command, _, _ := strings.Cut(rest, "\n")
	if first := strings.Join(lanes[0].steps[0].argv, " "); command == "" || !strings.HasPrefix(first, command) {
		t.Errorf("the README says %q, and the first lane begins with %q", command, first)
	}
}

func TestChooseRefusesUnknownLane(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(lanes) {
		t.Errorf("no names are %d lanes: %v", len(all), err)
	}
	if two, err := choose([]string{"fuzz", "base"}); err != nil || len(two) != 2 || two[0].name != "fuzz" {
		t.Errorf("%v %v", two, err)
	}
	if _, err := choose([]string{"bass"}); err == nil || !strings.Contains(err.Error(), "base") {
		t.Errorf("an unknown lane: %v", err)
	}
}

// TestRaceLaneNamesExistingScripts: a name that fits no script would be left out in silence.
func TestRaceLaneNamesExistingScripts(t *testing.T) {
	for _, name := range strings.Split(variable(t, "RACESCRIPTS"), "|") {
		if _, err := os.Stat("../script/" + name + ".txtar"); err != nil {
			t.Errorf("make race names %q: %v", name, err)
		}
	}
}

// TestRaceLaneSkipsExistingTests: a name that fits no test says that something is left out which is not, and one that fits two leaves out
// more than was meant.
func TestRaceLaneSkipsExistingTests(t *testing.T) {
	places := map[string]int{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, root := range []string{"../../cmd", "../../internal", "../house"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				places[m[1]]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields(variable(t, "RACESKIP")) {
		if places[name] != 1 {
			t.Errorf("make race leaves out %s, which is declared %d times, want once", name, places[name])
		}
	}
}

// variable is what a variable of the Makefile is, with its lines in one.
func variable(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\n"+name+" = ")
	value, _, _ := strings.Cut(rest, "\n")
	if !found || value == "" {
		t.Fatalf("the Makefile has no %s", name)
	}
	return value
}

const events = `go vet ./...
{"Action":"output","Package":"a","Test":"TestSlow","Output":"fine\n"}
{"Action":"pass","Package":"a","Test":"TestSlow/one","Elapsed":2}
{"Action":"pass","Package":"a","Test":"TestSlow/two","Elapsed":3}
{"Action":"pass","Package":"a","Test":"TestSlow","Elapsed":5}
{"Action":"output","Package":"a","Test":"TestBad","Output":"it is wrong\n"}
{"Action":"fail","Package":"a","Test":"TestBad","Elapsed":1}
{"Action":"fail","Package":"a","Elapsed":6}
{"Action":"build-output","ImportPath":"b","Output":"b.go:1: no\n"}
{"Action":"build-fail","ImportPath":"b"}
{"Action":"pass","Package":"c","Elapsed":0.5}
`

// TestLaneReportsFailedAndSlowTests runs a lane of programs that are functions: it passes on what is no test, tells what failed, and what
// was slow.
func TestLaneReportsFailedAndSlowTests(t *testing.T) {
	h, err := host.New(host.Options{Inside: func(name string) host.Main {
		return map[string]host.Main{
			"print": func(_ context.Context, in host.Invocation) int { in.Stdout.Write([]byte(events)); return 0 },
			"fail":  func(_ context.Context, in host.Invocation) int { in.Stdout.Write([]byte(events)); return 2 },
		}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var out bytes.Buffer
	l := lane{name: "base", budget: time.Nanosecond, steps: []step{
		{"first", []string{"print"}, nil}, {"second", []string{"fail"}, nil}, {"third", []string{"print"}, nil},
	}}
	r := l.run(t.Context(), h, &out)
	r.print(&out)
	for _, want := range []string{
		"go vet ./...", "FAIL     6.0 s  a", "PASS     0.5 s  c", "--- a TestBad\nit is wrong", "--- b\nb.go:1: no",
		"OVER BUDGET", "FAILED: second",
		"the slowest of 8 tests and packages:\n      3.0 s  a TestSlow/two\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, never := range []string{"fine", "-- base: third", "s  a\n      "} {
		if strings.Contains(out.String(), never) {
			t.Errorf("it says %q", never)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
