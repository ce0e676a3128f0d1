package setup

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/machine/docfile"
)

var server = []string{"mcp_servers", "ios-agent"}

func register(t *tables) error {
	return Options{Binary: "ios-agent"}.table(t)
}

const ours = "[mcp_servers.ios-agent]\ncommand = \"ios-agent\"\nargs = [\"mcp\"]\n"

func TestTOMLUpsertKeepsOtherTables(t *testing.T) {
	others := "# my Codex\nmodel = \"gpt-5\" # best\n\n[mcp_servers.docs]\ncommand = 'npx'\n" +
		"args = [\n  \"-y\", # yes\n  \"docs\",\n]\n\n[mcp_servers.docs.env]\nKEY = \"[mcp_servers.ios-agent]\"\n"
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct{ before, after string }{
		"nothing":         {"", ours},
		"BOM only":        {bom, bom + ours},
		"blank":           {"\n", "\n" + ours},
		"others":          {others, others + "\n" + ours},
		"others, CRLF":    {crlf(others), crlf(others + "\n" + ours)},
		"others, BOM":     {bom + others, bom + others + "\n" + ours},
		"no last newline": {"a = 1", "a = 1\n\n" + ours},
		"blank at end":    {"a = 1\n\n", "a = 1\n\n" + ours},
		"comment at end":  {"a = 1\n# end", "a = 1\n# end\n\n" + ours},
		"there":           {ours, ours},
		"there, spelled otherwise": {"[ mcp_servers . 'ios-agent' ]\n args=[ 'mcp', ] # c\n command='ios-agent'\n",
			"[ mcp_servers . 'ios-agent' ]\n args=[ 'mcp', ] # c\n command='ios-agent'\n"},
		"other values, more keys": {"[mcp_servers.ios-agent] # mine\ncommand = \"/old\" # was\nargs = [\n  'serve', # x\n]\n" +
			"startup_timeout_sec = 20\nenv = { A = \"ü\" }\n[z]\n",
			"[mcp_servers.ios-agent] # mine\ncommand = \"ios-agent\" # was\nargs = [\"mcp\"]\n" +
				"startup_timeout_sec = 20\nenv = { A = \"ü\" }\n[z]\n"},
		"a key is missing": {"[mcp_servers.\"ios-agent\"]\n  command = \"ios-agent\"\n  enabled = false # off\n\n# next\n[z]\n",
			"[mcp_servers.\"ios-agent\"]\n  command = \"ios-agent\"\n  enabled = false # off\n  args = [\"mcp\"]\n\n# next\n[z]\n"},
		"header only, at the end": {"[mcp_servers.ios-agent]", "[mcp_servers.ios-agent]\ncommand = \"ios-agent\"\nargs = [\"mcp\"]"},
		"header only, CRLF": {"[mcp_servers.ios-agent]\r\n[z]\r\n",
			"[mcp_servers.ios-agent]\r\ncommand = \"ios-agent\"\r\nargs = [\"mcp\"]\r\n[z]\r\n"},
		"only a table in it": {"[mcp_servers.ios-agent.env]\nA = \"b\"\n", "[mcp_servers.ios-agent.env]\nA = \"b\"\n\n" + ours},
		"dotted keys": {"mcp_servers.ios-agent.command = 'x'\nmcp_servers.ios-agent.args = []\n",
			"mcp_servers.ios-agent.command = \"ios-agent\"\nmcp_servers.ios-agent.args = [\"mcp\"]\n"},
		"inline table": {"[mcp_servers]\nios-agent = { command = 'x', args = [] }\n",
			"[mcp_servers]\nios-agent = { command = \"ios-agent\", args = [\"mcp\"] }\n"},
		"there, with escapes": {strings.NewReplacer("ios-agent\"", `\u0069os\U0000002dagent"`, "mcp\"", `\u006Dcp"`).Replace(ours),
			strings.NewReplacer("ios-agent\"", `\u0069os\U0000002dagent"`, "mcp\"", `\u006Dcp"`).Replace(ours)},
		"there, in several lines": {"[mcp_servers.ios-agent]\ncommand = \"\"\"\nios-\\\n  agent\"\"\"\nargs = [\n  '''mcp'''\n]\n",
			"[mcp_servers.ios-agent]\ncommand = \"\"\"\nios-\\\n  agent\"\"\"\nargs = [\n  '''mcp'''\n]\n"},
		"a literal is no escape": {"[mcp_servers.ios-agent]\ncommand = 'ios\\u002dagent'\nargs = [\"mcp\"]\n", ours},
		"texts that look like it": {"a = \"\"\"\n[mcp_servers.ios-agent]\n\\\"\"\" \"\"\"\"\"\nb = '''\n[mcp_servers.ios-agent]'''\n",
			"a = \"\"\"\n[mcp_servers.ios-agent]\n\\\"\"\" \"\"\"\"\"\nb = '''\n[mcp_servers.ios-agent]'''\n\n" + ours},
	} {
		t.Run(name, func(t *testing.T) {
			got := []byte(c.before)
			for range 2 { // the second time changes nothing
				var err error
				if got, err = inTOML(register)(got); err != nil {
					t.Fatal(err)
				}
				if string(got) != c.after {
					t.Fatalf("got\n%q\nwant\n%q", got, c.after)
				}
			}
		})
	}
}

func TestTOMLEditRefusesInvalidDocument(t *testing.T) {
	for text, line := range map[string]int{
		"a = 1\nb = \"open\n":               2,
		"a = '''\nopen":                     2,
		"[open\n":                           1,
		"a 1\n":                             1,
		"\n\nnot toml at all\n":             3,
		"a = 1 b = 2\n":                     1,
		"a = [1, 2\n":                       1,
		"a = [1 2]\n[":                      1,
		"a = {b = 1\n":                      1,
		"a =\n":                             1,
		"a = ]\n":                           1,
		"\r":                                1,
		"a = " + strings.Repeat("[", 1<<20): 1,
		"a = 1\n[mcp_servers.ios-agent]\ncommand = \"ios\\055agent\"\n": 3, // an escape of Go's, not of TOML's
		"\"\\a\" = 1\n": 1,
		"x = 1\n[mcp_servers]\nios-agent = { command = '' }": 3,
		"mcp_servers = {}\n":                         1,
		"\n[mcp_servers]\nios-agent.command = 'x'\n": 3,
		"[[mcp_servers]]\n":                          1,
		"[[mcp_servers.ios-agent]]\n":                1,
		"[mcp_servers.ios-agent]\ncommand.a = 1\n":   2,
		"[mcp_servers.ios-agent.command]\na = 1\n":   2,
	} {
		_, err := inTOML(register)([]byte(text))
		var at *docfile.Problem
		if !errors.As(err, &at) || at.Line != line {
			t.Errorf("%.60q: %v, want line %d", text, err, line)
		}
	}
}

// FuzzTOML: an edit is found afterwards, changes nothing the second time, and takes away nothing but a value it replaces.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"", "a = 1", ours, "[mcp_servers.ios-agent]\r\n", "[mcp_servers]\nios-agent = {args=['a'], command=\"\"}", "a = [{b=1},\n[],# ]\n]",
		"'' = \"\"\"\"\"\"\n\"\\\"\" = ''", "[[a]]\nb.c = 1979-05-27 07:32:00Z\n[a.d]\n", bom + "#", "mcp_servers.ios-agent.command=''",
	} {
		f.Add(seed, "ios-agent")
	}
	f.Fuzz(func(t *testing.T, text, binary string) {
		d, err := openTOML([]byte(text))
		if err != nil {
			return
		}
		tryTOML(t, d, "command", quote(binary))
		tryTOML(t, d, "args", serverArgs)
	})
}

func tryTOML(t *testing.T, d *tables, key, value string) {
	before, path := d.text, append(slices.Clone(server), key)
	old, had := d.pair(path)
	if err := d.set(server, key, value); err != nil {
		return
	}
	if now, ok := d.pair(path); !ok || now.means != value {
		t.Errorf("%q became %q: %s is %q", before, d.text, key, now.means)
	}
	gone := string(replaced(before, d.text))
	if gone != "" && (!had || !strings.Contains(string(before[old.start:old.end]), gone)) {
		t.Errorf("%q became %q: lost %q", before, d.text, gone)
	}
	after := d.text
	if err := d.set(server, key, value); err != nil || string(d.text) != string(after) {
		t.Errorf("%q became %q, %v", after, d.text, err)
	}
}
