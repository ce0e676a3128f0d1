package buildlog

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/test/samples"
)

// logs are the samples that are logs. What else is among them has readers of its own.
func logs(t *testing.T) []samples.Sample {
	t.Helper()
	return slices.DeleteFunc(samples.Of(t, "xcodebuild", "tool-errors"), func(s samples.Sample) bool { return Sniff(s.Data) < 30 })
}

// facts is a log in a few lines, for the golden file.
func facts(l *Log) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s); errors %d, warnings %d, diagnostics %d\n", l.Result, l.Because, l.Errors, l.Warnings, len(l.Diagnostics))
	fmt.Fprintf(&b, "tests %+v, totals %d, restarts %d, listed as failing %d, failed commands %d\n", l.Tests, len(l.Totals),
		len(l.Restarts), len(l.FailingTests), len(l.FailedSteps))
	p := l.Progress
	fmt.Fprintf(&b, "%s: compiled %d, linked %d, targets %d of %d, packages %d, bundles %d\n", p.Stage, p.Compiled, p.Linked,
		len(p.Targets), p.Total, len(l.Packages), len(l.Bundles))
	for i, d := range l.pick(func(d Diagnostic) bool { return d.Severity.Bad() && d.Test == "" }) {
		if i == 8 {
			b.WriteString("…\n")
			break
		}
		fmt.Fprintf(&b, "%s %s %d:%d ×%d e%d n%d f%d s%d %s\n", d.Severity, d.Category, d.Line, d.Column, d.Count, len(d.Excerpt),
			len(d.Notes), len(d.FixIts), len(d.Symbols), brief.Clip(d.Message, 90))
	}
	for i, t := range l.failed() {
		if i == 8 {
			b.WriteString("…\n")
			break
		}
		fmt.Fprintf(&b, "%s %s failures %d\n", t.Status, t.ID(), len(t.Failures))
	}
	return b.String()
}

func TestSamples(t *testing.T) {
	got := map[string]string{}
	for _, s := range logs(t) {
		t.Run(s.Name, func(t *testing.T) {
			l, err := Read(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			got[s.Name] = facts(l)
			checkErrors(t, s.Data, l)
			checkTests(t, s.Data, l)
			for _, limit := range []int{0, 80, 400, 1600, 10000} {
				if text := l.Text(limit); text == "" || limit > 0 && len(text) > limit {
					t.Errorf("limit %d: %d bytes", limit, len(text))
				}
			}
		})
	}
	samples.Golden(t, got)
}

var (
	rawPlaced = regexp.MustCompile(`^([^ \t].*?):(\d+):(\d+): (fatal error|error|warning): (.*?)` +
		`(?: \(in target '.*' from project '.*'\))?\s*$`)
	rawBare = regexp.MustCompile(`^(?:\[[A-Z_]+\] )?([^ \t].*?: )?(?:fatal )?error: (.*?)(?: \(in target '.*' from project '.*'\))?\s*$`)
	rawApp  = regexp.MustCompile(`^\d{4}-\d\d-\d\d |failed with error: `)
)

// checkErrors counts straight from the bytes: every different error of a compiler, once, verbatim, and the message of
// every line that says "error:".
func checkErrors(t *testing.T, raw []byte, l *Log) {
	t.Helper()
	want := map[string]int{}
	read := map[string]int{}
	all, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines.All(raw) {
		if m := rawPlaced.FindStringSubmatch(line); m != nil {
			want[strings.Join(m[1:6], "|")]++
		}
		if m := rawBare.FindStringSubmatch(line); m != nil && !rawApp.MatchString(line) {
			message := m[2]
			if x := xctestFailure.FindStringSubmatch(message); x != nil {
				message = x[2]
			}
			quoted, _ := json.Marshal(strings.TrimSpace(message))
			if !strings.Contains(string(all), strings.Trim(string(quoted), `"`)) {
				t.Errorf("lost: %q", line)
			}
		}
	}
	for _, d := range l.Diagnostics {
		if d.Column > 0 && d.Severity != Note {
			read[fmt.Sprintf("%s|%d|%d|%s|%s", d.File, d.Line, d.Column, d.Severity.words(), d.Message)] += d.Count
		}
	}
	for k, n := range want {
		if read[k] != n {
			t.Errorf("%s: printed %d times, counted %d", k, n, read[k])
		}
	}
	for k := range read {
		if want[k] == 0 {
			t.Errorf("invented: %s", k)
		}
	}
}

var (
	rawCase  = regexp.MustCompile(`^Test [Cc]ase '(.+)' (passed|failed|skipped)(?: on '.*')? \(`)
	rawSwift = regexp.MustCompile(`^[^\x00-\x7F]+\s+Test (.+?)(?: with \d+ test cases?)? (passed|failed) after `)
)

// checkTests counts results of tests straight from the bytes.
func checkTests(t *testing.T, raw []byte, l *Log) {
	t.Helper()
	want := map[string]string{} // XCTest: the last result of each name
	swift := map[string]int{}
	for _, line := range lines.All(raw) {
		if m := rawCase.FindStringSubmatch(line); m != nil {
			want[m[1]] = m[2]
		}
		if m := rawSwift.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "run with ") {
			swift[m[1]+" "+m[2]]++
		}
	}
	got := map[string]string{}
	for _, c := range l.TestCases {
		name := c.Suite + "." + c.Name
		switch {
		case c.Framework == SwiftTesting && c.Suite == "":
			swift[c.Name+" "+string(c.Status)]--
			name = c.Name
		case c.Framework == SwiftTesting:
			name = c.Suite + "/" + c.Name
		case c.Module != "" || !strings.HasSuffix(c.Name, ")"):
			name = "-[" + brief.Join(".", c.Module, c.Suite) + " " + c.Name + "]"
		}
		got[name] = string(c.Status)
		got[c.Suite+"."+c.Name] = string(c.Status)
	}
	for name, status := range want {
		if got[name] != status {
			t.Errorf("%s %s, read %q", name, status, got[name])
		}
	}
	for what, n := range swift {
		if n > 0 {
			t.Errorf("%d times lost: %s", n, what)
		}
	}
	for _, name := range l.FailingTests {
		if !strings.Contains(string(raw), name) {
			t.Errorf("invented: %s", name)
		}
	}
}

// TestSamplesWithOtherLineFormatsReadTheSame reads every log with other line ends, in colour, and as other programs print it.
func TestSamplesWithOtherLineFormatsReadTheSame(t *testing.T) {
	dresses := map[string]func(string) string{
		"CRLF":           func(l string) string { return l + "\r" },
		"colour":         func(l string) string { return "\x1b[31m" + l + "\x1b[0m" },
		"GitHub Actions": func(l string) string { return "2024-11-10T01:57:09.0660000Z " + l },
		"EAS":            func(l string) string { return "[RUN_FASTLANE] " + l },
		"fastlane":       func(l string) string { return "[15:47:28]: ▸ " + l },
	}
	for _, s := range logs(t) {
		plain, _ := Read(s.Data)
		want := facts(plain)
		all := lines.All(s.Data)
		for name, dress := range dresses {
			var b strings.Builder
			for _, l := range all {
				b.WriteString(dress(l) + "\n")
			}
			l, err := Read([]byte(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			if got := facts(l); got != want {
				t.Errorf("%s in %s:\n%s\n--- plain\n%s", s.Name, name, got, want)
			}
		}
	}
}
