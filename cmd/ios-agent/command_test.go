package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// ran is what became of a command line.
type ran struct {
	code        int
	out, stderr string
}

// run runs a command line in this process.
func run(t *testing.T, args ...string) ran {
	t.Helper()
	p := command()
	var out, errs bytes.Buffer
	p.app.Out, p.app.Err, p.app.In = &out, &errs, strings.NewReader("")
	return ran{p.run(t.Context(), args), out.String(), errs.String()}
}

func (r ran) result(t *testing.T) (result map[string]any) {
	t.Helper()
	var e op.Envelope
	if err := json.Unmarshal([]byte(r.out), &e); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if err := json.Unmarshal(e.Result, &result); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return result
}

// newHome gives the test a home of its own, and a project folder to work in.
func newHome(t *testing.T) (home, project string) {
	t.Helper()
	home, project = filepath.Join(t.TempDir(), "home"), t.TempDir()
	t.Setenv("IOS_AGENT_HOME", home)
	t.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CODEX_HOME", "")
	t.Chdir(project)
	return home, project
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestKeyRotateReplacesShownKey: the key that is shown is the file's; a rotated one replaces it.
func TestKeyRotateReplacesShownKey(t *testing.T) {
	home, _ := newHome(t)
	shown := run(t, "key", "show", "--json").result(t)["key"]
	rotated := run(t, "key", "rotate", "--json").result(t)
	if shown == "" || shown == rotated["key"] || rotated["key_file"] != filepath.Join(home, "key") ||
		run(t, "key", "show").out != readFile(t, filepath.Join(home, "key")) {
		t.Errorf("%v, then %v", shown, rotated)
	}
}

// TestDaemonRefusesRemoteListenWithoutFlag: the daemon refuses before it does anything else.
func TestDaemonRefusesRemoteListenWithoutFlag(t *testing.T) {
	home, _ := newHome(t)
	r := run(t, "daemon", "run", "--listen", "0.0.0.0:0")
	if r.code != fault.ExitDenied || !strings.HasPrefix(r.stderr, "FORBIDDEN: ") || !strings.Contains(r.stderr, "--allow-remote") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(home, "run", "daemon.sock")); err == nil {
		t.Error("it listens")
	}
}

func TestMistypedSubcommandSuggestsNearest(t *testing.T) {
	newHome(t)
	r := run(t, "daemon", "strat")
	if r.code != fault.ExitUsage || !strings.Contains(r.stderr, "did you mean `ios-agent daemon start`?") {
		t.Errorf("%+v", r)
	}
}

// TestInitMergesSettingsWithoutOverwriting: setting a project up for an agent merges and never overwrites.
func TestInitMergesSettingsWithoutOverwriting(t *testing.T) {
	newHome(t)
	write(t, ".mcp.json", "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"other\" }\n  }\n}\n")
	before := readFile(t, ".mcp.json")
	printed(t)
	if r := run(t, "init", "claude-code", "--print"); r.code != 0 || !strings.Contains(r.out, ".mcp.json") ||
		readFile(t, ".mcp.json") != before {
		t.Errorf("--print: %+v", r)
	}
	if _, err := os.Stat(".claude"); err == nil {
		t.Error("--print writes")
	}
	r := run(t, "init", "claude-code")
	after := readFile(t, ".mcp.json")
	if r.code != 0 || !strings.HasPrefix(r.out, "wrote ") || !strings.Contains(after, `"other": { "command": "other" }`) ||
		!strings.Contains(after, `"ios-agent"`) {
		t.Errorf("%+v\n%s", r, after)
	}
	if skill := readFile(t, filepath.Join(".claude", "skills", "ios-agent", "SKILL.md")); !strings.Contains(skill, "name: ios-agent") ||
		run(t, "skill").out != strings.TrimSpace(skill)+"\n" {
		t.Errorf("the skill: %.200s", skill)
	}
	if r := run(t, "init", "claude-code"); !strings.HasPrefix(r.out, "nothing to do: claude-code ") || readFile(t, ".mcp.json") != after {
		t.Errorf("the second time: %+v", r)
	}
	if r := run(t, "init", "emacs"); r.code != fault.ExitUsage || !strings.Contains(r.stderr, "INVALID_INPUT") ||
		!strings.Contains(r.stderr, "claude-code, codex, cursor, vscode, windsurf, gemini, zed, all") {
		t.Errorf("an unknown client: %+v", r)
	}
}

// TestInitReportsExactlyOneOutcome: what was done, that there is nothing to do, or what is wrong and where; never two of them.
func TestInitReportsExactlyOneOutcome(t *testing.T) {
	const broken = "{\n  \"mcpServers\": { oops"
	for name, c := range map[string]struct {
		args  []string
		files map[string]string
		code  int
		says  []string
		never []string
	}{
		"no such client": {[]string{"emacs"}, nil, fault.ExitUsage, []string{`unknown client "emacs"`, "claude-code, codex, cursor"},
			[]string{"nothing to do", "wrote"}},
		"nobody here": {nil, nil, fault.ExitUsage, []string{"no client", "ios-agent init claude-code"}, []string{"nothing to do", "wrote"}},
		"a broken file": {[]string{"cursor"}, map[string]string{".cursor/mcp.json": broken}, fault.ExitUsage,
			[]string{".cursor/mcp.json:2 is left alone", "put this into"}, []string{"nothing to do", "wrote", "written"}},
		"a broken file beside others": {[]string{"claude"}, map[string]string{".mcp.json": broken}, fault.ExitUsage,
			[]string{".mcp.json:2 is left alone", "written are ", "settings.json"}, []string{"nothing to do", "wrote"}},
		"a broken file, looked at": {[]string{"claude-code", "--print"}, map[string]string{".mcp.json": broken}, fault.ExitUsage,
			[]string{".mcp.json:2 is left alone"}, []string{"nothing to do", "wrote", "written"}},
		"those that are here": {nil, map[string]string{".cursor/x": "", ".zed/x": ""}, 0,
			[]string{"wrote ", ".cursor/mcp.json", ".zed/settings.json"}, []string{".vscode", ".mcp.json:", "nothing to do"}},
		"several": {[]string{"vscode", "gemini-cli"}, nil, 0, []string{"wrote ", ".vscode/mcp.json", ".gemini/settings.json"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			newHome(t)
			for path, text := range c.files {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, path, text)
			}
			r := run(t, append([]string{"init"}, c.args...)...)
			if r.code != c.code || (r.out == "") == (r.stderr == "") {
				t.Errorf("%+v", r)
			}
			for _, want := range c.says {
				if !strings.Contains(r.out+r.stderr, want) {
					t.Errorf("%q is not in %+v", want, r)
				}
			}
			for _, never := range c.never {
				if strings.Contains(r.out+r.stderr, never) {
					t.Errorf("%q is in %+v", never, r)
				}
			}
			for path, text := range c.files {
				if readFile(t, path) != text {
					t.Errorf("%s is changed", path)
				}
			}
			if again := run(t, append([]string{"init"}, c.args...)...); c.code == 0 && !strings.HasPrefix(again.out, "nothing to do: ") {
				t.Errorf("the second time: %+v", again)
			}
		})
	}
}

// TestHelpShowsOnePageOfEverydayVerbs: help is one page of everyday verbs, whole, and says where the rest is.
func TestHelpShowsOnePageOfEverydayVerbs(t *testing.T) {
	newHome(t)
	page := run(t, "help")
	for _, line := range []string{"", "--help", "-h"} {
		if r := run(t, strings.Fields(line)...); r != page {
			t.Errorf("%q differs: %+v", line, r)
		}
	}
	verbs, more, _ := strings.Cut(page.out, "\nMore:\n")
	if n := strings.Count(verbs, "\n  "); page.code != 0 || n < 20 || n > 26 || strings.Count(page.out, "\n") > 50 {
		t.Errorf("%d verbs:\n%s", n, page.out)
	}
	for _, want := range []string{"demo", "init", "status", "devices", "use", "run", "test", "launch", "snapshot", "tap", "home"} {
		if !strings.Contains(verbs, "\n  "+want+" ") {
			t.Errorf("there is no %s", want)
		}
	}
	for line := range strings.Lines(page.out) {
		if len(line) > 120 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	for topic := range strings.FieldsSeq("all ui xcode quern exit-codes") {
		if r := run(t, "help", topic); r.code != 0 || r.out == page.out || r.stderr != "" {
			t.Errorf("help %s: %+v", topic, r)
		}
	}
	for _, want := range []string{"help all", "ui", "help xcode", "help quern", "help exit-codes"} {
		if !strings.Contains(more, want) {
			t.Errorf("%s is not named:\n%s", want, more)
		}
	}
}

// TestVirtualCheckAcceptsAppFolder: virtual check takes what one has at hand, the .app folder, as well as the file in it.
func TestVirtualCheckAcceptsAppFolder(t *testing.T) {
	_, project := newHome(t)
	if r := run(t, "virtual", "apps", "apps"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	for _, path := range []string{"apps/Shop.app", "apps/Shop.app/ui.yaml"} {
		if r := run(t, "virtual", "check", path); r.code != 0 || r.out != "apps/Shop.app/ui.yaml is fine\n" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := run(t, "virtual", "check", project); r.code != fault.ExitUsage || !strings.Contains(r.stderr, "name an .app folder") {
		t.Errorf("a folder that is no app: %+v", r)
	}
}

// TestStatusDoesNotStartDaemon: what asks for a daemon that does not run starts none, and scripts can tell.
func TestStatusDoesNotStartDaemon(t *testing.T) {
	home, _ := newHome(t)
	for _, line := range []string{"daemon status", "status"} {
		r := run(t, strings.Fields(line)...)
		if r.code != fault.DaemonUnreachable.Exit() || !strings.Contains(r.stderr, "the daemon does not run") || r.out != "" {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := run(t, "__complete", "launch", ""); r.code != 0 || !strings.HasPrefix(r.out, ":") {
		t.Errorf("a tab: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(home, "versions")); err == nil {
		t.Error("a daemon was started")
	}
}

// printed fails unless init shows what it would write in a page, with every command that is allowed, and has all of it in JSON.
func printed(t *testing.T) {
	t.Helper()
	const most = 4 << 10
	short, all := run(t, "init", "claude-code", "--print"), run(t, "init", "claude-code", "--print", "--json")
	if len(short.out) > most || !strings.Contains(short.out, "release-all") || !strings.Contains(short.out, "more lines") {
		t.Errorf("--print: got %d bytes, want at most %d with every command:\n%s", len(short.out), most, short.out)
	}
	if last := "Bash(ios-agent proxy release-all *)"; !strings.Contains(all.out, last) || !strings.Contains(all.out, "a bug of ios-agent") {
		t.Errorf("--print --json: got %.300s, want %q and the whole skill", all.out, last)
	}
}
