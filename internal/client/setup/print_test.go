package setup

import (
	"strings"
	"testing"
)

func TestPrintShowsOnlyChangedParts(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"new": {"", "a\n\nb\n", "create /f: why\n  + a\n  +\n  + b\n"},
		"added lines": {"{\n  \"secret\": 1\n}\n", "{\n  \"secret\": 1,\n  \"a\": 2\n}\n",
			"change /f: why\n  @ line 3\n  +   \"a\": 2\n"},
		"changed line": {"x\ncommand = \"a\"\nsecret\n", "x\ncommand = \"b\"\nsecret\n",
			"change /f: why\n  @ line 2\n  - command = \"a\"\n  + command = \"b\"\n"},
		"grown line": {`{"t": {"secret": 1}, "z": 0}`, `{"t": {"secret": 1}, "z": 0, "a": 2}`,
			"change /f: why\n  @ line 1\n  - \"z\": 0\n  + \"z\": 0, \"a\": 2\n"},
		"changed value": {`{"secret": 1, "a": [1], "z": "secret"}`, `{"secret": 1, "a": [2], "z": "secret"}`,
			"change /f: why\n  @ line 1\n  - 1\n  + 2\n"},
		"two places": {"a\nb\nc\nd\n", "a\nx\nb\nc\nd\ny\n", "change /f: why\n  @ line 2\n  + x\n  @ line 6\n  + y\n"},
		"CRLF":       {"a\r\n", "a\r\nb\r\n", "change /f: why\n  @ line 2\n  + b\n"},
		"control":    {"", "a\x1b[31m\n", "create /f: why\n  + a\ufffd[31m\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Print([]Change{{Path: "/f", Why: "why", Before: []byte(c.before), After: []byte(c.after), New: c.before == ""}})
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if got := Print(nil); !strings.Contains(got, "nothing to write") {
		t.Errorf("nothing: %q", got)
	}
}

func TestPrintOfLargeChangeIsBounded(t *testing.T) {
	old, now := strings.Repeat("a\nb\n", 3000), strings.Repeat("c\nd\n", 3000)
	got := Print([]Change{{Path: "/f", Before: []byte(old), After: []byte(now)}})
	want := "… 11995 more lines, of 12000 bytes in all: `--json` has them"
	if strings.Count(got, "\n") > mostLines || !strings.Contains(got, want) {
		t.Errorf("got %d lines:\n%.600s\nwant a few, and %q", strings.Count(got, "\n"), got, want)
	}
}

// A list of names that differ in one word is shown as that word and the names, once.
func TestPrintFoldsLists(t *testing.T) {
	after := "{\n  \"allow\": [\n"
	for _, form := range []string{`Bash(tool %s *)`, `tool %s *`} {
		for _, name := range []string{"list", "launch", "log show", "log stop", "tap", "type"} {
			after += "    \"" + strings.ReplaceAll(form, "%s", name) + "\",\n"
		}
	}
	got := Print([]Change{{Path: "/f", Why: "why", After: []byte(after + "    \"last\"\n  ]\n}\n"), New: true}})
	want := "create /f: why\n  + {\n  +   \"allow\": [\n  +     \"Bash(tool … *)\": 6,\n" +
		"  +       list, launch, log show, log stop, tap, type\n" +
		"  +     \"tool … *\": the same 6 as above\n  +     \"last\"\n  +   ]\n  + }\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzPrint: no two texts make it panic, and equal ones have no difference.
func FuzzPrint(f *testing.F) {
	f.Add("a\nb", "a\n{,}\nb")
	f.Add(`{"a": [1, 2], "b": {}}`, `{"a": [1, 3], "b": {}}`)
	f.Fuzz(func(t *testing.T, old, now string) {
		_ = Print([]Change{{Before: []byte(old), After: []byte(now)}})
		if same := diff(lines([]byte(old)), lines([]byte(old))); len(same) > 0 {
			t.Errorf("%q differs from itself by %q", old, same)
		}
	})
}
