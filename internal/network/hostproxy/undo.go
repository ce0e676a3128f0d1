package hostproxy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
)

// Undone is the result of an undo.
type Undone struct {
	Was     bool     // the journal had a change
	Service string   // the service with the changed settings
	Now     string   // the current settings, for people
	Left    []string // settings that another program changed meanwhile; they stay
}

// Text is the result in one line; empty without a change.
func (u Undone) Text() string {
	if !u.Was {
		return ""
	}
	return strings.Join(append([]string{u.Service + ": " + u.Now}, u.Left...), "; ")
}

// Undo restores the settings from the journal and removes the journal. Without a journal it does nothing, so several processes may call
// it, also repeatedly. If a setting cannot be restored, the journal stays.
func Undo(ctx context.Context, t networksetup.Tool, journal string) (Undone, error) {
	if _, err := os.Lstat(journal); errors.Is(err, fs.ErrNotExist) {
		return Undone{}, nil
	}
	unlock, err := lock(ctx, journal)
	if err != nil {
		return Undone{}, err
	}
	defer unlock()
	return undo(ctx, t, journal)
}

// undo is Undo for a caller that holds the lock.
func undo(ctx context.Context, t networksetup.Tool, journal string) (Undone, error) {
	c, err := read(journal)
	var torn *tornError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Undone{}, nil
	case errors.As(err, &torn):
		return Undone{}, setAside(journal, torn)
	case err != nil:
		return Undone{}, fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	u := Undone{Was: true, Service: c.Service}
	if !c.Undoing && c.passesOn() {
		begun := c
		begun.Undoing = true
		_ = begun.write(journal) // on a full disk the settings are still restored
	}
	var states []string
	for _, k := range kinds() {
		left, err := c.restore(ctx, t, k)
		if err != nil {
			return u, cannotUndo(c, k, err)
		}
		if left != "" {
			u.Left = append(u.Left, left)
			continue
		}
		states = append(states, called(k)+" "+describe(c.Before[k]))
	}
	if u.Now = strings.Join(states, ", "); u.Now == "" {
		u.Now = "all proxies stay"
	}
	if err := os.Remove(journal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return u, fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	return u, nil
}

func describe(p networksetup.Proxy) string {
	if !p.On {
		return "off"
	}
	return fmt.Sprintf("%s:%d", p.Server, p.Port)
}

// Original describes the settings before the change, for people.
func (c Change) Original() string {
	var all []string
	for _, k := range kinds() {
		all = append(all, called(k)+" "+describe(c.Before[k]))
	}
	return strings.Join(all, ", ")
}

// passesOn reports whether the undo turns on a proxy for a moment that was off: setting its server does that.
func (c Change) passesOn() bool {
	return slices.ContainsFunc(kinds(), func(k networksetup.Kind) bool { return !c.Before[k].On && c.Before[k].Server != "" })
}

// restore restores one proxy. left says why the proxy stays as it is.
func (c Change) restore(ctx context.Context, t networksetup.Tool, k networksetup.Kind) (left string, err error) {
	before := c.Before[k]
	now, err := t.Proxy(ctx, k, c.Service)
	switch {
	case err != nil:
		return "", err
	case now == before:
		return "", nil
	case c.ours(now), c.points(now) && !before.On: // off, but it still has our address
	case c.Undoing && now.On && !before.On && now.Server == before.Server && now.Port == before.Port: // an undo was killed at this moment
	default:
		return fmt.Sprintf("another program changed the %s meanwhile: it stays %s", called(k), describe(now)), nil
	}
	// Setting a server turns the proxy on. Some versions refuse an empty server, which does not matter when the proxy was off.
	if err := t.SetProxy(ctx, k, c.Service, before.Server, before.Port); err != nil && before.On {
		return "", err
	}
	if !before.On {
		if err := t.SetState(ctx, k, c.Service, false); err != nil {
			return "", err
		}
	}
	if now, err = t.Proxy(ctx, k, c.Service); err != nil {
		return "", err
	}
	if now.On != before.On || before.On && now != before {
		return "", fmt.Errorf("it is %s after it was set to %s", describe(now), describe(before))
	}
	return "", nil
}

func cannotUndo(c Change, k networksetup.Kind, err error) error {
	f := fault.From(toolfault.New(err, fault.ToolFailed, fmt.Sprintf("cannot restore the %s of %s", called(k), c.Service)))
	return f.WithHint("set it to %s in System Settings, Network, %s, Details, Proxies; the next command tries again",
		describe(c.Before[k]), c.Service)
}

// setAside renames an unreadable journal: the previous settings are lost, and with the file in place every command would fail.
func setAside(journal string, torn *tornError) error {
	if err := os.Rename(journal, journal+".bad"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	return fault.New(fault.StateFailed, "cannot restore this Mac's proxy settings: %w", torn).
		WithHint("in System Settings, Network, Details, Proxies, turn off the proxies with the server %s; the file is kept as %s.bad",
			ourHost, journal)
}
