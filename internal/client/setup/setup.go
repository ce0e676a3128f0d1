// Package setup registers ios-agent with the clients that agents run in, by editing their configuration files. Plan computes the Changes,
// Print shows them, and Apply writes them, so that a person can review the changes before they are written. It leaves a file alone that it
// does not fully understand. It handles the file formats of the clients and must not use devices.
package setup

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// name is what clients know us by: the MCP server, the skill and the rules file.
const name = "ios-agent"

// All stands for every client there is.
const All = "all"

// Options name the clients to set up, and from where.
type Options struct {
	Clients   []string // names that Clients gives, or All
	Dir       string   // the project; absolute
	UserHome  string   // the user's own folder; absolute
	Binary    string   // how to call us in files that are the user's alone: a name on the PATH or an absolute path; "" is ios-agent
	Home      string   // the ios-agent home, for sandbox allow-lists; "" leaves those alone
	Skill     string   // the SKILL.md to put beside the settings, as Skill gives it; "" puts none
	CodexHome string   // where Codex keeps its settings; "" is .codex in UserHome
	// Operations are the catalogue: core operations that neither start foreign code nor lose data run without a question.
	Operations []op.Op
	// Commands are all command lines, without the program's name: also commands that are not operations, and aliases.
	Commands []string
}

// Change is one file as it is and as it is to be.
type Change struct {
	Path   string
	Why    string
	Before []byte
	After  []byte
	New    bool // the file does not exist yet

	file file
}

// client is a program that agents run in.
type client struct {
	name  string
	also  string   // another name for it
	signs []string // files and folders that tell that it is used: in the project, or with ~/ in the user's own folder
	edits func(Options) []edit
}

func clients() []client {
	return []client{
		{"claude-code", "claude", []string{".claude", ".mcp.json", "CLAUDE.md", "~/.claude"}, claudeCode},
		{"codex", "codex-cli", []string{".codex", "~/.codex"}, codex},
		{"cursor", "cursor-agent", []string{".cursor", "~/.cursor"}, cursor},
		{"vscode", "vs-code", []string{".vscode", "~/.vscode"}, vsCode},
		{"windsurf", "cascade", []string{".windsurf", "~/.codeium/windsurf"}, windsurf},
		{"gemini", "gemini-cli", []string{".gemini", "GEMINI.md", "~/.gemini"}, gemini},
		{"zed", "zed-editor", []string{".zed", "~/.config/zed"}, zed},
	}
}

func (c client) called(name string) bool { return name == c.name || name == c.also || name == All }

// Clients are the names Options.Clients knows beside All.
func Clients() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

// Detect names the clients that are used in a project or by a user.
func Detect(dir, userHome string) []string {
	var names []string
	for _, c := range clients() {
		if slices.ContainsFunc(c.signs, func(sign string) bool {
			path := filepath.Join(dir, sign)
			if below, own := strings.CutPrefix(sign, "~/"); own {
				path = filepath.Join(userHome, below)
			}
			_, err := os.Stat(path)
			return err == nil
		}) {
			names = append(names, c.name)
		}
	}
	return names
}

// Plan reads the clients' files and says what to change; it writes nothing. A file that cannot be edited safely is left
// alone: the changes to the others are returned all the same, beside a fault that names it and has what to paste.
func Plan(o Options) ([]Change, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	var changes []Change
	var left []*fault.Fault
	for _, e := range o.edits() {
		c, err := e.plan()
		if err != nil {
			left = append(left, fault.From(err))
		} else if c != nil {
			changes = append(changes, *c)
		}
	}
	return changes, together(left)
}

func (o Options) edits() []edit {
	var all []edit
	for _, c := range clients() {
		if slices.ContainsFunc(o.Clients, c.called) {
			all = append(all, c.edits(o)...)
		}
	}
	return all
}

// together makes one fault of many: a caller reports one.
func together(faults []*fault.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	if len(faults) == 1 {
		return faults[0]
	}
	var messages, hints []string
	for _, f := range faults {
		messages, hints = append(messages, f.Message), append(hints, f.Hint)
	}
	return fault.New(faults[0].Code, "%s", strings.Join(messages, "; ")).
		WithHint("%s", strings.Join(hints, "\n")).With("left", faults)
}

// checked fills in what the options leave out and refuses what they get wrong.
func (o Options) checked() (Options, error) {
	for _, name := range o.Clients {
		if !slices.ContainsFunc(clients(), func(c client) bool { return c.called(name) }) {
			return o, fault.New(fault.InvalidInput, "unknown client %q", name).With("field", "client").
				WithHint("give one of %s", strings.Join(append(Clients(), All), ", "))
		}
	}
	if o.Binary == "" {
		o.Binary = name
	}
	if !utf8.ValidString(o.Binary) || strings.ContainsFunc(o.Binary, unicode.IsControl) {
		return o, fault.New(fault.InvalidInput, "the program's path %q cannot be written into a configuration file", o.Binary)
	}
	if o.CodexHome == "" {
		o.CodexHome = filepath.Join(o.UserHome, ".codex")
	}
	for _, dir := range []string{o.Dir, o.UserHome, o.CodexHome} {
		if !filepath.IsAbs(dir) {
			return o, fault.New(fault.PathError, "the folder %q is not an absolute path", dir)
		}
	}
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return o, fault.New(fault.PathError, "the project %s is not a folder", o.Dir)
	}
	return o, nil
}

const (
	shared  fs.FileMode = 0o644 // of files that are the project's
	private fs.FileMode = 0o600 // of files that are the user's alone
)

// project is a file of the project.
func (o Options) project(parts ...string) file {
	path := filepath.Join(append([]string{o.Dir}, parts...)...)
	if filepath.Clean(o.Dir) == filepath.Clean(o.UserHome) {
		return file{"", path, private}
	}
	return file{o.Dir, path, shared}
}
