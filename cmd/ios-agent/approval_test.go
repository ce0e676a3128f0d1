package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/text/words"
)

// approvals is what a client does without a question after `ios-agent init`, as the client reads it.
type approvals struct {
	name string
	runs func(line string) bool // a line for a shell
	tool func(name string) bool // a tool of our MCP server
}

// approved sets a project up for every client and reads what was written.
func approved(t *testing.T) []approvals {
	t.Helper()
	_, project := newHome(t)
	if r := run(t, "init", "all"); r.code != fault.ExitOK {
		t.Fatalf("%+v", r)
	}
	var settings struct {
		Permissions struct{ Allow []string }
		Sandbox     struct{ ExcludedCommands []string }
	}
	if err := json.Unmarshal([]byte(readFile(t, ".claude/settings.json")), &settings); err != nil {
		t.Fatal(err)
	}
	claude := approvals{name: "claude-code",
		tool: func(name string) bool { return slices.Contains(settings.Permissions.Allow, "mcp__ios-agent__"+name) }}
	claude.runs = func(line string) bool {
		return every(line, func(part string) bool {
			return slices.ContainsFunc(settings.Permissions.Allow, func(rule string) bool {
				pattern, is := strings.CutPrefix(rule, "Bash(")
				return rule == "Bash" || is && begins(strings.TrimSuffix(pattern, ")"), part)
			})
		})
	}
	// Outside the sandbox a line runs when one of its parts is excluded: whoever is allowed there is not held by anything else.
	outside := approvals{name: "claude-code's sandbox", tool: func(string) bool { return false }}
	outside.runs = func(line string) bool {
		return every(line, func(part string) bool {
			return slices.ContainsFunc(settings.Sandbox.ExcludedCommands, func(pattern string) bool { return begins(pattern, part) })
		})
	}
	rules := prefixRules(t, readFile(t, ".codex/rules/ios-agent.rules"))
	codex := approvals{name: "codex", tool: func(string) bool { return false }}
	codex.runs = func(line string) bool {
		return every(line, func(part string) bool {
			tokens, whole := words.Split(part)
			return whole && slices.ContainsFunc(rules, func(r prefixRule) bool { return r.matches(tokens) })
		})
	}
	noOtherApproval(t, project)
	return []approvals{claude, outside, codex}
}

// noOtherApproval: the other clients can approve a server only as a whole.
func noOtherApproval(t *testing.T, project string) {
	t.Helper()
	whole := regexp.MustCompile(`(?i)"(trust|always_?allow|auto_?approve|allowed?_?tools|tool_permissions)"` +
		`|"mcp__ios-agent(__\*)?"|Bash\(ios-agent[ :]?\*\)`)
	for _, root := range []string{project, os.Getenv("HOME")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && whole.MatchString(readFile(t, path)) {
				t.Errorf("%s approves everything: %s", path, whole.FindString(readFile(t, path)))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// every judges each part of a line by itself, as both clients do. What runs other commands inside, or writes to files, is asked about.
func every(line string, judge func(string) bool) bool {
	parts, plain := split(line)
	return plain && !slices.ContainsFunc(parts, func(part string) bool { return !judge(strings.TrimSpace(part)) })
}

// split cuts a line at the operators of a shell, outside quotes. Substitutions and redirections are not plain.
func split(line string) (parts []string, plain bool) {
	var part strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			part.WriteByte(c)
			i++
			c = line[i]
		case quote != '\'' && (c == '`' || c == '$' && i+1 < len(line) && line[i+1] == '('):
			return nil, false
		case quote == 0 && (c == '<' || c == '>'):
			return nil, false
		case quote == 0 && strings.IndexByte("&|;\n", c) >= 0:
			parts = append(parts, part.String())
			part.Reset()
			for i+1 < len(line) && strings.IndexByte("&|;\n", line[i+1]) >= 0 {
				i++
			}
			continue
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
		part.WriteByte(c)
	}
	return append(parts, part.String()), true
}

// begins is a rule of Claude Code, read in the widest way that any version of it does: `x:*` is any text that begins so, a star is
// any text, and a star behind a space at the end may be missing with it.
func begins(rule, line string) bool {
	if prefix, is := strings.CutSuffix(rule, ":*"); is {
		return strings.HasPrefix(line, prefix)
	}
	if prefix, is := strings.CutSuffix(rule, " *"); is && !strings.Contains(prefix, "*") {
		return line == prefix || strings.HasPrefix(line, prefix+" ")
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, "(?s:.*)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(line)
}

// prefixRule is a rule of Codex: words in order, each one of several.
type prefixRule [][]string

func (r prefixRule) matches(tokens []string) bool {
	if len(r) == 0 || len(tokens) < len(r) {
		return false
	}
	for i, alternatives := range r {
		if !slices.Contains(alternatives, tokens[i]) {
			return false
		}
	}
	return true
}

func prefixRules(t *testing.T, text string) (rules []prefixRule) {
	t.Helper()
	rule := regexp.MustCompile(`(?s)prefix_rule\(\s*pattern = (\[.*?\]),\n\s*decision = "(\w+)"`)
	for _, found := range rule.FindAllStringSubmatch(text, -1) {
		var elements []any
		if err := json.Unmarshal([]byte(found[1]), &elements); err != nil || found[2] != "allow" {
			t.Fatalf("%s: %v", found[0], err)
		}
		rule := prefixRule{}
		for _, e := range elements {
			one, list := []string{}, []any{e}
			if several, is := e.([]any); is {
				list = several
			}
			for _, word := range list {
				one = append(one, word.(string))
			}
			rule = append(rule, one)
		}
		rules = append(rules, rule)
	}
	if len(rules) != strings.Count(text, "prefix_rule(") || len(rules) == 0 {
		t.Fatalf("%d rules read of\n%s", len(rules), text)
	}
	return rules
}

// tree is the whole command line, as it is when somebody types something.
func tree(t *testing.T) (root *cobra.Command, catalogue *op.Catalogue) {
	t.Helper()
	p := command()
	look := &cobra.Command{Use: "look-at-the-tree", Hidden: true, RunE: func(c *cobra.Command, _ []string) error {
		root = c.Root()
		return nil
	}}
	if code := p.app.Main(t.Context(), []string{look.Use}, append(p.commands(), look)...); code != 0 || root == nil {
		t.Fatal("no command line")
	}
	return root, p.app.Catalogue
}

// verbOf is the operation that a command line calls, if it is one. Cobra says which command it is, whatever name was used.
func verbOf(root *cobra.Command, catalogue *op.Catalogue, line string) (op.Op, bool) {
	c, _, err := root.Find(strings.Fields(line))
	if err != nil {
		return op.Op{}, false
	}
	for _, o := range catalogue.Ops() {
		if o.Verb != "" && root.Name()+" "+o.Verb == c.CommandPath() {
			return o, true
		}
	}
	return op.Op{}, false
}

// TestApprovalsCannotBeEscaped tries the whole command line through what init writes: every command by every name, alone, with each
// of its flags, after global flags, and behind something harmless. What starts foreign code, loses data or names a file is never
// approved, and what is approved is an operation that does none of it.
func TestApprovalsCannotBeEscaped(t *testing.T) {
	root, catalogue := tree(t)
	lines := commandLines(root)
	if len(lines) < 100 {
		t.Fatalf("only %d command lines", len(lines))
	}
	for _, client := range approved(t) {
		harmless := 0
		for _, line := range lines {
			flags := []string{"", " --help", " -x", " --exec sh", " x y z"}
			o, is := verbOf(root, catalogue, line)
			safe := is && o.Family == op.Core && o.Unattended()
			if is {
				for _, f := range o.Fields() {
					flags = append(flags, " --"+f.Flag()+" x", " --"+f.Flag()+"=x")
				}
			}
			for _, flag := range flags {
				typed := "ios-agent " + line + flag
				if yes := client.runs(typed); yes && !safe {
					t.Errorf("%s approves %s", client.name, typed)
				} else if yes {
					harmless++
				}
				for _, around := range []string{
					typed + " && sh -c x", typed + "; sh", typed + " | sh", typed + " & sh", typed + "\nsh", typed + " $(sh)",
					typed + " `sh`", typed + " > /etc/x", "DYLD_INSERT_LIBRARIES=x " + typed, "sh -c '" + typed + "'", typed + " || sh",
					"env " + typed, "./" + typed, "/tmp/" + typed, typed + " \"$(sh)\"",
				} {
					if client.runs(around) {
						t.Errorf("%s approves %s", client.name, around)
					}
				}
				for _, global := range []string{"--json", "--session x", "--session=x", "--session"} {
					if before := "ios-agent " + global + " " + line + flag; client.runs(before) {
						t.Errorf("%s approves %s", client.name, before)
					}
				}
			}
		}
		if harmless == 0 {
			t.Errorf("%s approves nothing", client.name)
		}
		for _, escape := range []string{
			`connect --goal x --exec "sh -c x"`, "call uninstall_app {}", "call run", "screenshot --force --out /etc/x", "virtual reset",
			"self update --from /tmp/x", "self install --to /tmp", "install ./X.app", "run", "uninstall com.x", "init all", "mcp", "webdriver",
			"daemon run", "key show", "record-video --out x --force", "parse /etc/passwd", "pool claim --reset erase", "pool take-over x",
			"reset-sim", "session-set-defaults --env DYLD_INSERT_LIBRARIES=x", "session-set-defaults --wda-url http://127.0.0.1:1",
			"proxy set --upstream http://127.0.0.1:1", "proxy set --system-proxy", "proxy release f_1 --url http://127.0.0.1:1",
			"proxy start --upstream http://127.0.0.1:1", "proxy start --listen-host 0.0.0.0",
		} {
			if client.runs("ios-agent " + escape) {
				t.Errorf("%s approves %s", client.name, escape)
			}
		}
		for _, usual := range []string{"snapshot", "snapshot --json", "tap @e7", `fill @e5 "a; b && c"`, "wait --text Done", "launch com.x"} {
			if !client.runs("ios-agent " + usual) {
				t.Errorf("%s asks about %s", client.name, usual)
			}
		}
	}
}

// TestApprovalRuleMatchesWholeVerbOnly: a rule for a verb is none for a command whose name only begins like it.
func TestApprovalRuleMatchesWholeVerbOnly(t *testing.T) {
	root, catalogue := tree(t)
	lines := commandLines(root)
	for _, client := range approved(t) {
		for _, line := range lines {
			if o, is := verbOf(root, catalogue, line); is && client.runs("ios-agent "+line) && o.Verb != line {
				t.Errorf("%s approves %s by a rule for another", client.name, line)
			}
			for _, longer := range []string{line + "-mac-app", line + "x", line + "_x"} {
				if c, _, err := root.Find(strings.Fields(longer)); err == nil && c.CommandPath() == root.Name()+" "+longer &&
					client.runs("ios-agent "+longer) {
					t.Errorf("%s approves %s", client.name, longer)
				}
			}
		}
	}
}

// TestOnlyUnattendedToolsAreApproved: a tool runs without a question when it is harmless under that name in every set.
func TestOnlyUnattendedToolsAreApproved(t *testing.T) {
	_, catalogue := tree(t)
	claude := approved(t)[0]
	for _, o := range catalogue.Ops() {
		if !o.Unattended() && claude.tool(o.Name) {
			t.Errorf("%s %s is approved", o.Family, o.Name)
		}
	}
	for name, want := range map[string]bool{
		"snapshot": true, "tap_element": true, "batch": true, "find_tools": true, "launch_app": true,
		"call_tool": false, "run": false, "install_app": false, "take_screenshot": false, "*": false, "": false,
	} {
		if claude.tool(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
