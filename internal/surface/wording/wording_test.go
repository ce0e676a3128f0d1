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
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/test/surfacetest"
)

// Each surface says the same thing in its own words, and leaves what is quoted alone.
func TestVoices(t *testing.T) {
	c := surfacetest.New(time.Second).Catalogue
	tools := wording.Tools(c, wording.Offer{Names: map[string]string{"say_it": "say_it"}, Other: "call_tool", Find: "find_tools"})
	for _, test := range []struct{ hint, input, shell, tool, route string }{
		{"try `ios-agent say hello`", `{}`, "try `ios-agent say hello`", `try say_it {"text":"hello"}`, `try POST /api/v1/say {"text":"hello"}`},
		{"`ios-agent thing show x`", `{}`, "`ios-agent thing show x`", `call_tool {"name":"show_thing","arguments":{"id":"x"}}`,
			"GET /api/v1/things/x"},
		{"`ios-agent say hi`", `{"session":"a b"}`, "`ios-agent say hi --session 'a b'`", `say_it {"session":"a b","text":"hi"}`,
			`POST /api/v1/say {"session":"a b","text":"hi"}`},
		{"`ios-agent say --help`", `{}`, "`ios-agent say --help`", "the schema of say_it", "the input of POST /api/v1/say"},
		{"`ios-agent daemon stop`", `{}`, "`ios-agent daemon stop`", "`ios-agent daemon stop` in a shell", "`ios-agent daemon stop` in a shell"},
		{"pass `--some-flag`", `{}`, "pass --some-flag", "pass some_flag", "pass some_flag"},
		{`say_it({ text: "a, b" })`, `{}`, "`ios-agent say 'a, b'`", `say_it {"text":"a, b"}`, `POST /api/v1/say {"text":"a, b"}`},
		{"the button \"`ios-agent say x` say_it({})\"", `{}`, "the button \"`ios-agent say x` say_it({})\"",
			"the button \"`ios-agent say x` say_it({})\"", "the button \"`ios-agent say x` say_it({})\""},
	} {
		for name, v := range map[string]struct {
			voice wording.Voice
			want  string
		}{"shell": {wording.Shell(c), test.shell}, "tools": {tools, test.tool}, "routes": {wording.Routes(c), test.route}} {
			e := op.Failed(fault.New(fault.Internal, "x").WithHint("%s", test.hint), op.Meta{})
			if got := v.voice.Envelope(e, []byte(test.input)).Error.Hint; got != v.want {
				t.Errorf("%s, %s: %s\nwant %s", test.hint, name, got, v.want)
			}
		}
	}
}

// Only what tells what to do is said anew: the rest of an answer is what was asked for.
func TestOnlyAdviceIsSaidAnew(t *testing.T) {
	c := surfacetest.New(time.Second).Catalogue
	text := "log: `ios-agent say x`\n  hint: `ios-agent say x`\n→ `ios-agent say x`\nnext steps:\n  say_it({})\nlog: say_it({})"
	answer := map[string]any{"nextSteps": []string{`say_it({ text: "x" })`}, "log": "`ios-agent say x`"}
	e := op.Succeeded(answer, op.Meta{Next: []string{"show_thing"}})
	e.Stdout = text
	got := wording.Routes(c).Envelope(e, nil)
	want := "log: `ios-agent say x`\n  hint: POST /api/v1/say {\"text\":\"x\"}\n→ POST /api/v1/say {\"text\":\"x\"}" +
		"\nnext steps:\n  POST /api/v1/say\nlog: say_it({})"
	if got.Stdout != want {
		t.Errorf("%s\nwant\n%s", got.Stdout, want)
	}
	var result struct {
		NextSteps []string
		Log       string
	}
	if err := json.Unmarshal(got.Result, &result); err != nil || result.Log != "`ios-agent say x`" ||
		!slices.Equal(result.NextSteps, []string{`POST /api/v1/say {"text":"x"}`}) {
		t.Errorf("%s %v", got.Result, err)
	}
	if next := wording.Shell(c).Next(e, nil); len(next) != 1 || !strings.Contains(next[0], "ios-agent thing show") {
		t.Errorf("%q", next)
	}
}

// A command is one line whatever its words hold, and a shell reads them back as they are.
func TestACommandIsOneLine(t *testing.T) {
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
