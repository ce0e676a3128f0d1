package wording_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/test/surfacetest"
)

// Each surface renders the same fact in its own words, and leaves quoted text unchanged.
func TestVoicesRenderFacts(t *testing.T) {
	c := surfacetest.New(time.Second).Catalogue
	tools := wording.Tools(c, wording.Offer{Names: map[string]string{"say_it": "say_it"}, Other: "call_tool", Find: "find_tools"})
	for _, test := range []struct{ hint, input, shell, tool, route string }{
		{"try " + hint.Do("say_it", "text", "hello"), `{}`, "try `ios-agent say hello`", `try say_it {"text":"hello"}`,
			`try POST /api/v1/say {"text":"hello"}`},
		{hint.Do("show_thing", "id", "x"), `{}`, "`ios-agent thing show x`", `call_tool {"name":"show_thing","arguments":{"id":"x"}}`,
			"GET /api/v1/things/x"},
		{hint.Do("say_it", "text", "hi"), `{"session":"a b"}`, "`ios-agent say hi --session 'a b'`", `say_it {"session":"a b","text":"hi"}`,
			`POST /api/v1/say {"session":"a b","text":"hi"}`},
		{hint.Schema("say_it"), `{}`, "`ios-agent say --help`", "the schema of say_it", "the input of POST /api/v1/say"},
		{hint.Command("ios-agent daemon stop"), `{}`, "`ios-agent daemon stop`", "`ios-agent daemon stop` in a shell",
			"`ios-agent daemon stop` in a shell"},
		{"pass " + hint.Field("some_flag"), `{}`, "pass --some-flag", "pass some_flag", "pass some_flag"},
		{`the button "` + hint.Do("say_it") + `"`, `{}`, `the button "` + hint.Do("say_it") + `"`, `the button "` + hint.Do("say_it") + `"`,
			`the button "` + hint.Do("say_it") + `"`},
		{"`ios-agent say x` say_it({})", `{}`, "`ios-agent say x` say_it({})", "`ios-agent say x` say_it({})", "`ios-agent say x` say_it({})"},
	} {
		for name, v := range map[string]struct {
			voice wording.Voice
			want  string
		}{"shell": {wording.Shell(c), test.shell}, "tools": {tools, test.tool}, "routes": {wording.Routes(c), test.route}} {
			e := op.Failed(fault.New(fault.Internal, "x").WithHint("%s", test.hint), op.Meta{})
			if got := v.voice.Envelope(e, []byte(test.input)).Error.Hint; got != v.want {
				t.Errorf("%s, %s: got %s, want %s", test.hint, name, got, v.want)
			}
		}
	}
}

// A result is data: only the fields that advise are rendered, whatever the others look like.
func TestOnlyAdviceOfAResultIsRendered(t *testing.T) {
	c := surfacetest.New(time.Second).Catalogue
	fact := hint.Do("say_it", "text", "x")
	e := op.Succeeded(map[string]any{
		"nextSteps": []string{fact, "or " + fact}, "log": fact, "lines": []any{map[string]string{"note": fact},
			map[string]string{"label": "a \"note\": " + fact}},
	}, op.Meta{Next: []string{"show_thing"}})
	e.Stdout = "see " + fact + "\n  hint: " + fact
	got := wording.Routes(c).Envelope(e, nil)
	const call = `POST /api/v1/say {"text":"x"}`
	if want := "see " + call + "\n  hint: " + call; got.Stdout != want {
		t.Errorf("text: got %s, want %s", got.Stdout, want)
	}
	var result struct {
		NextSteps []string
		Log       string
		Lines     []struct{ Note, Label string }
	}
	if err := json.Unmarshal(got.Result, &result); err != nil {
		t.Fatal(err)
	}
	if want := []string{call, "or " + call}; !slices.Equal(result.NextSteps, want) || result.Lines[0].Note != call {
		t.Errorf("advice: got %q and %q, want %q", result.NextSteps, result.Lines[0].Note, want)
	}
	if result.Log != fact || result.Lines[1].Label != `a "note": `+fact {
		t.Errorf("data: got %q and %q, want %q as it was", result.Log, result.Lines[1].Label, fact)
	}
	e.Stdout, e.Document = string(e.Result), true
	if document := wording.Routes(c).Envelope(e, nil); document.Stdout != string(document.Result) {
		t.Errorf("the JSON as text: got %s, want %s", document.Stdout, document.Result)
	}
	if next := wording.Shell(c).Next(e, nil); len(next) != 1 || !strings.Contains(next[0], "ios-agent thing show") {
		t.Errorf("next calls: got %q, want ios-agent thing show", next)
	}
}

// A command is one line whatever its words hold, and a shell reads them back as they are.
func TestCommandIsOneLineForAnyText(t *testing.T) {
	o, err := surfacetest.New(time.Second).Catalogue.Lookup("say_it")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"two\nlines", "a\r\tb", "it's", "it's\n", "a\\nb\n", "\x1b[2J", "é\u0085\x7f0a", "plain"} {
		line := wording.Line(o, map[string]any{"text": word})
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q: got %q, want no control character", word, line)
		}
		script := "ios-agent() { printf %s \"$2\"; }; " + line
		got, err := exec.CommandContext(t.Context(), "bash", "-c", script).Output()
		if err != nil || string(got) != word {
			t.Errorf("%s: bash reads %q, %v; want %q", line, got, err, word)
		}
	}
}
