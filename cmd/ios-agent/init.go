package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/setup"
)

// initCommand tells an agent's client about us: its MCP configuration, what its sandbox must allow, the skill.
func (p *program) initCommand() *cobra.Command {
	var printOnly bool
	c := &cobra.Command{
		Use: "init [CLIENT]", Short: "Set up this project for an agent: " + strings.Join(setup.Clients(), ", ") + " or all",
		Long: "Writes what the agent's client needs to know about ios-agent: its MCP configuration, the allow-lists of its sandbox,\n" +
			"the skill. Existing files are merged into, never overwritten; --print shows what would change.",
		Args: cobra.MaximumNArgs(1), ValidArgs: append(setup.Clients(), setup.All),
		RunE: func(_ *cobra.Command, args []string) error {
			client := setup.All
			if len(args) == 1 {
				client = args[0]
			}
			return p.init(client, printOnly)
		},
	}
	c.Flags().BoolVar(&printOnly, "print", false, "show what would be written and write nothing")
	return c
}

func (p *program) init(client string, printOnly bool) error {
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
	changes, planErr := setup.Plan(setup.Options{
		Client: client, Dir: dir, UserHome: user, Binary: self.Name, Home: h.String(), CodexHome: os.Getenv("CODEX_HOME"),
		Skill: setup.Skill(p.app.Catalogue.Ops(), version()), Operations: p.app.Catalogue.Ops(),
	})
	text, files := setup.Print(changes), []string{}
	for _, c := range changes {
		files = append(files, c.Path)
	}
	if !printOnly {
		if err := setup.Apply(changes); err != nil {
			return err
		}
		text = "wrote " + strings.Join(files, ", ")
	}
	if len(changes) == 0 {
		text = "nothing to do: everything is set up"
	}
	e := op.Succeeded(map[string]any{"files": files, "written": !printOnly}, op.Meta{})
	e.Stdout = text
	if planErr != nil { // what could be done was done; the file that was left alone is named
		e.Status, e.Error = op.Failure, fault.From(planErr)
	}
	return p.app.Finish(e)
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
