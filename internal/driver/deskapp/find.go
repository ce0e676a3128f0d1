package deskapp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"ios-agent/internal/desktop"
	processes "ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// candidate is a process that an id may mean.
type candidate struct {
	PID   int    `json:"pid"`
	Name  string `json:"name"`
	Title string `json:"title,omitempty"` // of its window
}

// named returns the process of this user with a name: of its program, or the title of one of its windows, or a part of that.
func (d *Driver) named(ctx context.Context, name string, env desktop.Environ) (pid int, err error) {
	if strings.TrimSpace(name) == "" {
		return 0, fault.New(fault.InvalidInput, "the app has no name: give its program's name or a window's title").With("field", "udid")
	}
	shown, failed := d.windows(ctx, env)
	for _, fits := range []func(candidate) bool{
		func(c candidate) bool { return strings.EqualFold(c.Name, name) },
		func(c candidate) bool { return strings.EqualFold(c.Title, name) },
		func(c candidate) bool { return strings.Contains(strings.ToLower(c.Title), strings.ToLower(name)) },
	} {
		if found := distinct(shown, fits); len(found) > 0 {
			return only(found, name)
		}
	}
	running, err := processes.Called(name)
	if err != nil {
		return 0, err
	}
	if len(running) > 0 { // it shows its windows elsewhere, or none yet
		var found []candidate
		for _, pid := range running {
			found = append(found, candidate{PID: pid, Name: name})
		}
		return only(found, name)
	}
	if failed != nil {
		return 0, failed
	}
	return 0, unknown(shown, name)
}

// windows are the processes of this user with windows, one candidate for each window.
func (d *Driver) windows(ctx context.Context, env desktop.Environ) (all []candidate, err error) {
	shown, err := d.desktop.Windows(ctx, func(name string) string {
		if env != nil && env(name) != "" {
			return env(name)
		}
		return os.Getenv(name)
	})
	for _, w := range shown {
		all = append(all, candidate{w.PID, cmp.Or(w.App, "?"), w.Title})
	}
	return all, err
}

// distinct returns the candidates that fit, each process once.
func distinct(all []candidate, fits func(candidate) bool) (found []candidate) {
	for _, c := range all {
		if fits(c) && !slices.ContainsFunc(found, func(o candidate) bool { return o.PID == c.PID }) {
			found = append(found, c)
		}
	}
	return found
}

func only(found []candidate, name string) (int, error) {
	if len(found) == 1 {
		return found[0].PID, nil
	}
	var said []string
	for _, c := range found[:min(len(found), mostChoices)] {
		said = append(said, c.String())
	}
	return 0, fault.New(fault.DeviceAmbiguous, "%d apps are named %q", len(found), name).With("candidates", found).
		WithHint("name one with %s: %s", hint.Field("udid"), strings.Join(said, ", "))
}

// mostChoices is the maximum number of apps in a hint.
const mostChoices = 8

func (c candidate) String() string {
	if c.Title == "" {
		return fmt.Sprintf("pid:%d (%s)", c.PID, c.Name)
	}
	return fmt.Sprintf("pid:%d (%s, window %s)", c.PID, c.Name, ui.Quote(c.Title))
}

func unknown(shown []candidate, name string) error {
	f := fault.New(fault.DeviceNotFound, "no app of this desktop is named %q", name)
	var names []string
	for _, c := range shown {
		names = append(names, c.Name)
		if c.Title != "" {
			names = append(names, c.Title)
		}
	}
	slices.Sort(names)
	if near := nearest.To(name, slices.Compact(names), 3); len(near) > 0 {
		for i := range near {
			near[i] = ui.Quote(near[i])
		}
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f.WithHint("start it first, or name its process with %s: pid:N", hint.Field("udid"))
}
