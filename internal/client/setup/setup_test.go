package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"

	"ios-agent/internal/op"
)

// operations are one that may run without a question, one whose verb begins another's, and two that may not.
func operations() []op.Op {
	return []op.Op{
		declare(op.Spec{Name: "snapshot", Default: true}),
		declare(op.Spec{Name: "launch_app", Verb: "launch", Default: true}),
		declare(op.Spec{Name: "run", Default: true, Hints: op.Executes}),
		declare(op.Spec{Name: "launch_mac_app", Family: "xcode", Hints: op.Executes}),
		declare(op.Spec{Name: "claim_device", Verb: "pool claim"}),
		declare(op.Spec{Name: "take_over_device", Verb: "pool take-over", Hints: op.Destructive}),
	}
}

// place is a project and a home with files in them.
func place(t *testing.T, files map[string]string) Options {
	t.Helper()
	root := t.TempDir()
	o := Options{Clients: []string{"claude-code", "codex"}, Dir: filepath.Join(root, "project"), UserHome: filepath.Join(root, "user"),
		Operations: operations(), Commands: []string{"launch-mac-app", "connect", "call"}}
	for _, one := range o.Operations {
		o.Commands = append(o.Commands, one.Verb)
	}
	o.Home = filepath.Join(o.UserHome, ".ios-agent")
	for _, dir := range []string{o.Dir, o.UserHome} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range files {
		write(t, filepath.Join(root, path), text)
	}
	return o
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// files are all there are below the root of a place, by their path from there.
func files(t *testing.T, o Options) map[string]string {
	t.Helper()
	root := filepath.Dir(o.Dir)
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func planned(t *testing.T, o Options) []Change {
	t.Helper()
	changes, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

const freshMCP = `{
  "mcpServers": {
    "ios-agent": {
      "command": "ios-agent",
      "args": ["mcp"]
    }
  }
}
`

const freshSettings = `{
  "permissions": {
    "allow": [
      "mcp__ios-agent__find_tools",
      "mcp__ios-agent__snapshot",
      "mcp__ios-agent__launch_app",
      "Bash(ios-agent snapshot *)",
      "Bash(ios-agent launch *)",
      "Bash(ios-agent pool claim *)"
    ]
  },
  "sandbox": {
    "excludedCommands": [
      "ios-agent snapshot *",
      "ios-agent launch *",
      "ios-agent pool claim *"
    ],
    "network": {
      "allowUnixSockets": [
        "~/.ios-agent/run"
      ]
    }
  }
}
`

// TestForeignCodeIsNeverPreApproved: neither client lets a model start code of its choice, or lose data, without a question.
func TestForeignCodeIsNeverPreApproved(t *testing.T) {
	o := place(t, nil)
	if err := Apply(planned(t, o)); err != nil {
		t.Fatal(err)
	}
	for path, text := range files(t, o) {
		for _, never := range []string{
			"__run", "agent run", "mac-app", "launch:", "take-over", "call_tool", `"mcp__ios-agent"`, "(ios-agent:*)", `"run"`,
			`"ios-agent *"`, `"ios-agent"]`,
		} {
			if strings.Contains(text, never) && !strings.Contains(path, "SKILL") {
				t.Errorf("%s has %s:\n%s", path, never, text)
			}
		}
	}
}

func TestFreshProjectGetsAllFiles(t *testing.T) {
	o := place(t, nil)
	o.Skill = Skill(catalogue(), "1.2.3")
	changes := planned(t, o)
	if len(files(t, o)) != 0 {
		t.Fatal("planning wrote something")
	}
	if err := Apply(changes); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"project/.mcp.json":                         freshMCP,
		"project/.claude/settings.json":             freshSettings,
		"project/.claude/skills/ios-agent/SKILL.md": o.Skill,
		"project/.agents/skills/ios-agent/SKILL.md": o.Skill,
		"project/.codex/rules/ios-agent.rules":      Options{Binary: "ios-agent", Operations: operations()}.rules(),
		"user/.codex/config.toml":                   ours,
	}
	if got := files(t, o); !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for path, mode := range map[string]fs.FileMode{
		o.Dir + "/.mcp.json": 0o644, o.Dir + "/.claude": 0o755 | fs.ModeDir,
		o.UserHome + "/.codex/config.toml": 0o600, o.UserHome + "/.codex": 0o700 | fs.ModeDir,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if again := planned(t, o); len(again) > 0 {
		t.Errorf("a second plan: %s", Print(again))
	}
}

func TestExistingSettingsAreMerged(t *testing.T) {
	for name, c := range map[string]struct{ path, before, after string }{
		"other servers": {"project/.mcp.json",
			"{\n\t\"mcpServers\": {\n\t\t\"gh\": {\"command\": \"gh-mcp\", \"env\": {\"T\": \"ключ\"}}\n\t}\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"gh\": {\"command\": \"gh-mcp\", \"env\": {\"T\": \"ключ\"}},\n" +
				"\t\t\"ios-agent\": {\n\t\t\t\"command\": \"ios-agent\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}"},
		"our server, other values and more keys": {"project/.mcp.json",
			`{"mcpServers": {"ios-agent": {"type": "stdio", "command": "/old/ios-agent", "args": ["serve"], ` +
				`"env": {"IOS_AGENT_TOOLCHAIN": "virtual"}}}}`,
			`{"mcpServers": {"ios-agent": {"type": "stdio", "command": "ios-agent", "args": ["mcp"], ` +
				`"env": {"IOS_AGENT_TOOLCHAIN": "virtual"}}}}`},
		"settings of a team, CRLF": {"project/.claude/settings.json",
			"{\r\n  \"model\": \"opus\",\r\n  \"permissions\": {\r\n    \"allow\": [\"Bash(npm run:*)\"],\r\n    \"deny\": []\r\n  },\r\n" +
				"  \"sandbox\": {\"enabled\": true}\r\n}\r\n",
			"{\r\n  \"model\": \"opus\",\r\n  \"permissions\": {\r\n" +
				"    \"allow\": [\"Bash(npm run:*)\", \"mcp__ios-agent__find_tools\", \"mcp__ios-agent__snapshot\", \"mcp__ios-agent__launch_app\", " +
				"\"Bash(ios-agent snapshot *)\", \"Bash(ios-agent launch *)\", \"Bash(ios-agent pool claim *)\"],\r\n" +
				"    \"deny\": []\r\n  },\r\n  \"sandbox\": {\"enabled\": true, \"excludedCommands\": [\"ios-agent snapshot *\", " +
				"\"ios-agent launch *\", \"ios-agent pool claim *\"], \"network\": {\"allowUnixSockets\": [\"~/.ios-agent/run\"]}}\r\n}\r\n"},
		"an empty file": {"project/.claude/settings.json", "", freshSettings},
		"Codex with comments": {"user/.codex/config.toml",
			"# mine\nmodel = \"gpt-5\"\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"",
			"# mine\nmodel = \"gpt-5\"\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n\n" + ours},
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t, map[string]string{c.path: c.before})
			if err := Apply(planned(t, o)); err != nil {
				t.Fatal(err)
			}
			if got := files(t, o)[c.path]; got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
			info, err := os.Stat(filepath.Join(filepath.Dir(o.Dir), c.path))
			if err != nil || info.Mode() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if again := planned(t, o); len(again) > 0 {
				t.Errorf("a second plan: %s", Print(again))
			}
		})
	}
}

func TestUserDecisionsAreKept(t *testing.T) {
	settings := "project/.claude/settings.json"
	for name, c := range map[string]struct{ path, text string }{
		"other spellings": {settings, `{"permissions": {"allow": ["mcp__ios-agent__*", "Bash(ios-agent *)"]}, ` +
			`"sandbox": {"excludedCommands": ["ios-agent"], "network": {"allowUnixSockets": ["~/.ios-agent/run"]}}}`},
		"asked or denied": {settings, `{"permissions": {"ask": ["mcp__ios-agent"], "deny": ["Bash(ios-agent:*)"]}, ` +
			`"sandbox": {"excludedCommands": ["ios-agent *"], "network": {"allowUnixSockets": ["~/.ios-agent/run"]}}}`},
		"a skill of their own": {"project/.claude/skills/ios-agent/SKILL.md", "mine\n"},
		"rules of their own":   {"project/.codex/rules/ios-agent.rules", ""},
		"rules after git changed line ends": {"project/.codex/rules/ios-agent.rules",
			strings.ReplaceAll(Options{Binary: "ios-agent", Operations: operations()}.rules(), "\n", "\r\n")},
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t, map[string]string{c.path: c.text})
			o.Skill = Skill(catalogue(), "1.2.3")
			for _, change := range planned(t, o) {
				if strings.HasSuffix(change.Path, c.path) {
					t.Error(Print([]Change{change}))
				}
			}
		})
	}
}

func TestOurOwnFilesAreUpdated(t *testing.T) {
	o := place(t, nil)
	o.Skill = Skill(catalogue(), "1.2.3")
	if err := Apply(planned(t, o)); err != nil {
		t.Fatal(err)
	}
	o.Skill, o.Binary = Skill(catalogue(), "1.2.4"), "/opt/bin/ios-agent"
	changes := planned(t, o)
	if err := Apply(changes); err != nil || len(changes) != 3 { // the skills, and the file that is the user's alone
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	all := strings.Join(slices.Collect(maps.Values(files(t, o))), "")
	for _, want := range []string{`"command": "ios-agent"`, `command = "/opt/bin/ios-agent"`, `["ios-agent", `, "1.2.4"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestPlanChangesOnlyFilesOfNamedClient(t *testing.T) {
	for client, want := range map[string][]string{
		"claude-code": {"/project/.mcp.json", "/project/.claude/settings.json"},
		"codex":       {"/codex-home/config.toml", "/project/.codex/rules/ios-agent.rules"},
	} {
		o := place(t, nil)
		o.Clients, o.CodexHome = []string{client}, filepath.Join(filepath.Dir(o.Dir), "codex-home")
		var got []string
		for _, c := range planned(t, o) {
			got = append(got, strings.TrimPrefix(c.Path, filepath.Dir(o.Dir)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", client, got)
		}
	}
}

// TestSharedFilesContainNoMachinePaths: what a team shares calls us by our name, wherever this machine has its folders.
func TestSharedFilesContainNoMachinePaths(t *testing.T) {
	o := place(t, nil)
	o.Clients, o.Skill = []string{All}, Skill(catalogue(), "1.2.3")
	machine := filepath.Dir(o.Dir)
	o.Home, o.Binary = filepath.Join(machine, "agents"), filepath.Join(machine, "My Tools", "ios-agent")
	if err := Apply(planned(t, o)); err != nil {
		t.Fatal(err)
	}
	all := files(t, o)
	for path, text := range all {
		if strings.HasPrefix(path, "project/") && path != "project/.claude/settings.local.json" && strings.Contains(text, machine) {
			t.Errorf("%s names this machine:\n%s", path, text)
		}
	}
	for path, want := range map[string]string{
		"project/.claude/settings.local.json": filepath.Join(o.Home, "run"), "user/.codex/config.toml": o.Binary,
		"user/.codeium/windsurf/mcp_config.json": o.Binary,
	} {
		if !strings.Contains(all[path], want) {
			t.Errorf("%s has no %s:\n%s", path, want, all[path])
		}
	}
	if info, err := os.Stat(o.Dir + "/.claude/settings.local.json"); err != nil || info.Mode().Perm() != private {
		t.Errorf("%v %v", info, err)
	}
	if again := planned(t, o); len(again) > 0 {
		t.Errorf("a second plan: %s", Print(again))
	}
}

// TestEveryClientIsConfigured: each by the file it reads, in the shape it reads, beside what its user has there.
func TestEveryClientIsConfigured(t *testing.T) {
	all := map[string]struct{ path, key, before, keeps string }{
		"claude-code": {"project/.mcp.json", "mcpServers", `{"mcpServers": {"x": {}}}`, `"x": {}`},
		"cursor": {"project/.cursor/mcp.json", "mcpServers",
			"{\n  \"mcpServers\": {\n    // mine\n    \"x\": {},\n  },\n}\n", "// mine\n    \"x\": {},"},
		"vscode": {"project/.vscode/mcp.json", "servers", "{\n  // tools\n  \"servers\": {},\n  \"inputs\": [],\n}\n",
			"  \"inputs\": [],\n}\n"},
		"windsurf": {"user/.codeium/windsurf/mcp_config.json", "mcpServers", "", ""},
		"gemini":   {"project/.gemini/settings.json", "mcpServers", "{\n  \"theme\": \"Dark\" // at night\n}\n", `"theme": "Dark", // at night`},
		"zed": {"project/.zed/settings.json", "context_servers", "// Folder settings\n{\n  \"tab_size\": 2,\n}\n",
			"// Folder settings\n{\n  \"tab_size\": 2,"},
	}
	for _, client := range Clients() {
		if _, here := all[client]; !here && client != "codex" { // whose TOML TestFreshProjectGetsAllFiles has
			t.Errorf("%s: nothing says which file it reads", client)
		}
	}
	for client, c := range all {
		t.Run(client, func(t *testing.T) {
			given := map[string]string{}
			if c.before != "" {
				given[c.path] = c.before
			}
			o := place(t, given)
			o.Clients = []string{client}
			if err := Apply(planned(t, o)); err != nil {
				t.Fatal(err)
			}
			text := files(t, o)[c.path]
			d, err := openDocument([]byte(text), true)
			if err != nil {
				t.Fatal(err)
			}
			var root map[string]any
			if err := json.Unmarshal(plain(t, d.text), &root); err != nil {
				t.Fatal(err)
			}
			us, _ := root[c.key].(map[string]any)[name].(map[string]any)
			if us["command"] != name || fmt.Sprint(us["args"]) != "[mcp]" || client == "vscode" && us["type"] != "stdio" {
				t.Errorf("%v", us)
			}
			if !strings.Contains(text, c.keeps) || strings.Contains(text, "trust") || strings.Contains(text, "alwaysAllow") {
				t.Errorf("%s", text)
			}
			if again := planned(t, o); len(again) > 0 {
				t.Errorf("a second plan: %s", Print(again))
			}
		})
	}
}

// TestDetectFindsClientsByTheirFiles: a client is used where its files are, in the project or in the user's folder.
func TestDetectFindsClientsByTheirFiles(t *testing.T) {
	o := place(t, map[string]string{"project/.vscode/settings.json": "", "user/.codeium/windsurf/x": "", "user/.gemini/settings.json": ""})
	if got := Detect(o.Dir, o.UserHome); !slices.Equal(got, []string{"vscode", "windsurf", "gemini"}) {
		t.Errorf("%q", got)
	}
	if got := Detect(t.TempDir(), t.TempDir()); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestPlanRefusesInvalidOptions(t *testing.T) {
	good := place(t, map[string]string{"file": ""})
	for name, change := range map[string]func(*Options){
		"client":  func(o *Options) { o.Clients = []string{"codex", "emacs"} },
		"project": func(o *Options) { o.Dir = filepath.Join(filepath.Dir(o.Dir), "file") },
		"dir":     func(o *Options) { o.Dir = "." },
		"home":    func(o *Options) { o.UserHome = "" },
		"binary":  func(o *Options) { o.Binary = "ios\nagent" },
	} {
		o := good
		change(&o)
		var f *fault.Fault
		if _, err := Plan(o); !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnreadableFilesAreLeftAlone(t *testing.T) {
	o := place(t, map[string]string{
		"project/.mcp.json":       "{\n  // servers\n  \"mcpServers\": {}\n}\n",
		"user/.codex/config.toml": "model = \n",
	})
	changes, err := Plan(o)
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != fault.InvalidInput {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"/.mcp.json:2 ", "/config.toml:1 "} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("%q is not in %q", want, f.Message)
		}
	}
	for _, want := range []string{freshMCP, ours} {
		if !strings.Contains(f.Hint, want) {
			t.Errorf("no snippet to paste in %q", f.Hint)
		}
	}
	if len(changes) != 2 { // settings and rules
		t.Errorf("planned %s", Print(changes))
	}
	o.Clients = []string{"claude-code"}
	if _, err = Plan(o); !errors.As(err, &f) || f.Details["line"] != 2 || f.Details["snippet"] != freshMCP {
		t.Errorf("one file: %+v", f)
	}
}
