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

// Undone is what came of undoing.
type Undone struct {
	Was     bool     // there was a change
	Service string   // whose settings were changed
	Now     string   // what the settings are now, for people
	Left    []string // what was left as it is, because somebody else has changed it since
}

// Text says it in one line; empty if there was nothing.
func (u Undone) Text() string {
	if !u.Was {
		return ""
	}
	return strings.Join(append([]string{u.Service + ": " + u.Now}, u.Left...), "; ")
}

// Undo puts the settings back as the journal has them and removes it. Without a journal, and when it was undone already, it does
// nothing: it may be called by several at once, and again. When something cannot be put back, the journal stays.
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

// undo is Undo by somebody who has the lock.
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
		_ = begun.write(journal) // on a full disk the settings are put back all the same
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
		u.Now = "nothing to put back"
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

// Original is what the settings were before, for people.
func (c Change) Original() string {
	var all []string
	for _, k := range kinds() {
		all = append(all, called(k)+" "+describe(c.Before[k]))
	}
	return strings.Join(all, ", ")
}

// passesOn reports whether undoing turns a proxy on for a moment that was off: setting its server does.
func (c Change) passesOn() bool {
	return slices.ContainsFunc(kinds(), func(k networksetup.Kind) bool { return !c.Before[k].On && c.Before[k].Server != "" })
}

// restore puts one proxy back as it was before. left says why it was not.
func (c Change) restore(ctx context.Context, t networksetup.Tool, k networksetup.Kind) (left string, err error) {
	before := c.Before[k]
	now, err := t.Proxy(ctx, k, c.Service)
	switch {
	case err != nil:
		return "", err
	case now == before:
		return "", nil
	case c.ours(now), c.points(now) && !before.On: // the latter is off, but has our address still
	case c.Undoing && now.On && !before.On && now.Server == before.Server && now.Port == before.Port: // somebody died at this moment
	default:
		return fmt.Sprintf("the %s was changed since by somebody else, and stays %s", called(k), describe(now)), nil
	}
	// Setting a server turns it on; an empty one is not taken by every version, and does not matter when it is off.
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
		return "", fmt.Errorf("it is %s after it was put back to %s", describe(now), describe(before))
	}
	return "", nil
}

func cannotUndo(c Change, k networksetup.Kind, err error) error {
	f := fault.From(toolfault.New(err, fault.ToolFailed, fmt.Sprintf("the %s of %s cannot be put back", called(k), c.Service)))
	return f.WithHint("it was %s: set it so in System Settings, Network, %s, Details, Proxies; the next command tries again",
		describe(c.Before[k]), c.Service)
}

// setAside takes a journal that nobody can read out of the way: what was there before is lost, and every command would fail.
func setAside(journal string, torn *tornError) error {
	if err := os.Rename(journal, journal+".bad"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	return fault.New(fault.StateFailed, "what was changed of this Mac's proxies is not known any more: %w", torn).
		WithHint("look at System Settings, Network, Details, Proxies, and turn off what points at %s; the file is kept as %s.bad",
			ourHost, journal)
}
