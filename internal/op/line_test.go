package op

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWordsSplitsLineLikeShell(t *testing.T) {
	for line, want := range map[string][]string{
		"":                               nil,
		"  tap   @e7 ":                   {"tap", "@e7"},
		`fill @e5 "a b" --submit`:        {"fill", "@e5", "a b", "--submit"},
		`type 'it''s' "\"q\"" a\ b`:      {"type", "its", `"q"`, "a b"},
		`type ''`:                        {"type", ""},
		`type 'back\slash' "new\\line"`:  {"type", `back\slash`, `new\line`},
		`type $(rm -rf /) ; echo > file`: {"type", "$(rm", "-rf", "/)", ";", "echo", ">", "file"},
	} {
		got, err := Words(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`type "open`, `type 'open`, `type \`} {
		if got, err := Words(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// TestShortFlagFillsOtherInput: a flag of command lines gives another input one of its forms; an input of that name goes before it.
func TestShortFlagFillsOtherInput(t *testing.T) {
	type in struct {
		UDID string `json:"udid,omitempty" doc:"the device"`
		App  string `json:"app,omitempty" doc:"an app"`
	}
	short := []Short{{Flag: "pid", Input: "udid", Prefix: "pid:"}, {Flag: "app", Input: "udid", Prefix: "app:"}}
	o := New(Spec{Name: "look", Groups: []string{"ui"}, Summary: "Look", Short: short},
		func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil })
	for line, want := range map[string]string{
		"--pid 7": "map[udid:pid:7]", "--pid=7": "map[udid:pid:7]", "--app Shop": "map[app:Shop]", "--udid X": "map[udid:X]",
		"--udid X --pid 7": "look: ‹input:udid› and ‹input:pid› set the same input",
		"--pid 7 --pid 8":  "look: ‹input:udid› and ‹input:pid› set the same input",
		"--pid":            `look: "--pid" needs a value`, "--pud 7": `look: unknown flag "--pud"`,
	} {
		input, err := ParseArgs(o, strings.Fields(line))
		got := fmt.Sprint(input)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, not %s", line, got, want)
		}
	}
	if _, described := o.InputSchema().Properties["pid"]; described {
		t.Error("a schema has a flag of the command line")
	}
}

func FuzzWords(f *testing.F) {
	for _, line := range []string{`a "b c" 'd'`, `\`, `"`, "a\tb\nc"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Words(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words { // what was split can be put together again
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q, then %q, %v", line, words, again, err)
		}
	})
}

// TestFlagReplacesSessionDefaultForOneCall: a flag of command lines gives a default of the session for one call. Only operations with the
// input that it needs have it, and no schema lists it.
func TestFlagReplacesSessionDefaultForOneCall(t *testing.T) {
	type in struct {
		UDID string `json:"udid,omitempty" doc:"the device"`
	}
	var heard *Call
	about := New(Spec{Name: "look", Groups: []string{"ui"}, Summary: "Look"}, func(_ context.Context, c *Call, _ in) (struct{}, error) {
		heard = c
		return struct{}{}, nil
	})
	other := New(Spec{Name: "wait_here", Groups: []string{"ui"}, Summary: "Wait"},
		func(context.Context, *Call, struct{}) (struct{}, error) { return struct{}{}, nil })
	flag := Short{Flag: "wda-url", Default: "wdaUrl", Needs: "udid", Doc: "where it is"}
	about.Short, other.Short = []Short{flag}, []Short{flag} // after they were declared
	input, err := ParseArgs(about, []string{"--wda-url", "http://x", "--udid", "A"})
	if err != nil || input["wdaUrl"] != "http://x" || input["udid"] != "A" {
		t.Fatalf("%v, %v", input, err)
	}
	raw, _ := json.Marshal(input)
	c := NewCatalogue([]Op{about, other}, Options{})
	if e := c.Run(t.Context(), "look", Call{}, raw); e.Error != nil || heard.Instead["wdaUrl"] != "http://x" {
		t.Errorf("%s, %v", e.Text(), heard)
	}
	if err := about.Check(&Call{}, raw); err != nil {
		t.Error(err)
	}
	if _, err := about.Read(raw); err != nil {
		t.Error(err)
	}
	if e := c.Run(t.Context(), "wait_here", Call{}, []byte(`{"wdaUrl":"http://x"}`)); e.Error == nil {
		t.Error("an operation that is about no device took it")
	}
	if schema, _ := json.Marshal(about.InputSchema()); strings.Contains(string(schema), "wdaUrl") {
		t.Errorf("%s", schema)
	}
}
