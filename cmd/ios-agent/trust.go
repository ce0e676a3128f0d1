package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/config"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/trust"
)

// trustCommand lets the user allow the file of a project to name a driver or its server. It is a command and not an operation, so that no
// tool, route or approved verb leads to it.
func (p *program) trustCommand() *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use: "trust [ADDRESS or DRIVER]...", Short: "Allow this project to name a driver or its server",
		Long: "Lets this project's file, a session or a call name the address of a driver's server, or a driver. The server receives what is\n" +
			"typed on a device, secrets too. The home keeps the consent, for this project alone. Without a name, list what is allowed.",
		Example: "  ios-agent trust http://127.0.0.1:8100 wda\n  ios-agent trust --remove wda",
		RunE:    func(_ *cobra.Command, what []string) error { return p.trust(what, remove) },
	}
	c.Flags().BoolVar(&remove, "remove", false, "take it back")
	return c
}

func (p *program) trust(what []string, remove bool) error {
	h, err := home.Open()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	list, project := trust.In(h.String()), config.Folder(dir)
	if len(what) == 0 {
		return p.trusted(list)
	}
	for i := range what {
		if what[i], err = nameable(what[i]); err != nil {
			return err
		}
	}
	said := map[string]any{"project": project, "what": what}
	if !remove {
		if err := list.Add(project, time.Now(), what...); err != nil {
			return err
		}
		return p.app.Say(fmt.Sprintf("%s may name %s", project, strings.Join(what, " and ")), said)
	}
	n, err := list.Remove(project, what...)
	if err != nil {
		return err
	}
	said["removed"] = n
	return p.app.Say(fmt.Sprintf("%d taken back from %s", n, project), said)
}

// trusted lists what is allowed.
func (p *program) trusted(list trust.List) error {
	all, err := list.All()
	if err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("%d allowed", len(all))}
	for _, g := range all {
		lines = append(lines, fmt.Sprintf("%s  %s  since %s", g.Project, g.What, g.Since.Format(time.DateOnly)))
	}
	return p.app.Say(strings.Join(lines, "\n"), map[string]any{"trusted": all})
}

// nameable is a driver's name, or an address in the form in which it is compared.
func nameable(text string) (string, error) {
	keys := product.Keys()
	store := config.New(config.Options{Keys: keys})
	var failed error
	for _, k := range keys {
		if !k.Personal {
			continue
		}
		value, err := store.Text(k.Name, text)
		if err == nil && value != "" {
			return value, nil
		}
		failed = err
	}
	return "", fault.New(fault.InvalidInput, "%.80q is neither an address nor a driver: %w", text, failed).
		WithHint("give an address such as http://127.0.0.1:8100, or a driver such as wda")
}
