package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ios-agent/internal/client/setup"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/self"
)

// initCommand tells an agent's client about us: its MCP configuration, what its sandbox must allow, the skill.
func (p *program) initCommand() *cobra.Command {
	var printOnly bool
	c := &cobra.Command{
		Use: "init [CLIENT…]", Short: "Set up this project for an agent: " + strings.Join(setup.Clients(), ", ") + " or all",
		Long: "Writes what the agent's client needs to know about ios-agent: its MCP configuration and, where the client can tell them apart,\n" +
			"what may run without a question; for some also the skill. Without a name, for the clients that are used here.\n" +
			"Existing files are merged into, never overwritten; --print shows what would change.",
		Example: "  ios-agent init\n  ios-agent init claude-code cursor\n  ios-agent init all --print",
		Args:    cobra.ArbitraryArgs, ValidArgs: append(setup.Clients(), setup.All),
		RunE: func(c *cobra.Command, args []string) error { return p.init(c.Root(), args, printOnly) },
	}
	c.Flags().BoolVar(&printOnly, "print", false, "show what would be written and write nothing")
	return c
}

func (p *program) init(root *cobra.Command, clients []string, printOnly bool) error {
	h, err := home.Open()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fault.New(fault.PathError, "the working folder: %w", err)
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return fault.New(fault.PathError, "the home folder: %w", err)
	}
	if len(clients) == 0 {
		clients = setup.Detect(dir, user)
	}
	if len(clients) == 0 {
		return fault.New(fault.InvalidInput, "found no client that ios-agent can set up, here or in %s", user).
			WithHint("name one, such as `ios-agent init claude-code`: %s, or all", strings.Join(setup.Clients(), ", "))
	}
	where, err := installed()
	if err != nil {
		return err
	}
	binary, onPath := self.Name, where.onPath != ""
	if !onPath && !strings.HasPrefix(where.running, os.TempDir()) { // after `go run` it is gone soon
		binary = where.running
	}
	changes, planErr := setup.Plan(setup.Options{
		Clients: clients, Dir: dir, UserHome: user, Binary: binary, Home: h.String(), CodexHome: os.Getenv("CODEX_HOME"),
		Skill: setup.Skill(p.app.Catalogue.Ops(), version()), Operations: p.app.Catalogue.Ops(), Commands: commandLines(root),
	})
	files := []string{}
	for _, c := range changes {
		files = append(files, c.Path)
	}
	if !printOnly {
		if err := setup.Apply(changes); err != nil {
			return err
		}
	}
	if planErr != nil {
		f := fault.From(planErr)
		if len(files) > 0 && !printOnly { // what could be done was done
			f = f.With("written", files)
			f.Message += "; written are " + strings.Join(files, ", ")
		}
		return f
	}
	text := "nothing to do: " + strings.Join(clients, ", ") + " know ios-agent"
	switch {
	case len(changes) > 0 && printOnly:
		text = setup.Print(changes)
	case len(changes) > 0:
		text = "wrote " + strings.Join(files, ", ")
	}
	if !onPath {
		text += "\nios-agent is not on the PATH, where they look for it: `ios-agent self install` puts it there"
	}
	said := map[string]any{"clients": clients, "files": files, "written": !printOnly, "on_path": onPath}
	if printOnly {
		said["changes"] = whole(changes)
	}
	return p.app.Say(text, said)
}

// change is one file with all lines that go and come.
type change struct {
	Path   string   `json:"path"`
	Why    string   `json:"why"`
	Create bool     `json:"create"`
	Lines  []string `json:"lines"`
}

// whole are the changes of files with all their lines, of which a text shows the first.
func whole(changes []setup.Change) []change {
	all := []change{}
	for _, c := range changes {
		all = append(all, change{c.Path, c.Why, c.New, c.Lines()})
	}
	return all
}

// commandLines are all command lines that the program knows, by every name, without its own.
func commandLines(c *cobra.Command) (lines []string) {
	for _, below := range c.Commands() {
		rest := commandLines(below)
		for _, word := range append([]string{below.Name()}, below.Aliases...) {
			lines = append(lines, word)
			for _, line := range rest {
				lines = append(lines, word+" "+line)
			}
		}
	}
	return lines
}

// skillCommand prints the skill for whoever keeps skills elsewhere.
func (p *program) skillCommand() *cobra.Command {
	return &cobra.Command{
		Use: "skill", Short: "Print SKILL.md: how an agent uses ios-agent, of this version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := setup.Skill(p.app.Catalogue.Ops(), version())
			return p.app.Say(strings.TrimSpace(text), map[string]string{"skill": text})
		},
	}
}
