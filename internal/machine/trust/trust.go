// Package trust stores which drivers and server addresses the user allows the file of a project to name. List has one Given for each
// consent. The list is in the home and not in the project: the author of a cloned project is not the user, and a file in the clone must not
// be able to add to the list.
package trust

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// List is the list of consents in a home.
type List struct{ path string }

// In returns the list of a home.
func In(home string) List { return List{filepath.Join(home, "trusted.json")} }

// Given is one consent: one driver or address that the file of one project may name.
type Given struct {
	Project string    `json:"project"` // its folder, without links
	What    string    `json:"what"`    // a driver's name, or an address
	Since   time.Time `json:"since"`
}

const (
	// Most is the maximum number of consents: a person gives each by hand.
	Most = 1000
	// mostBytes is the maximum size of the file in bytes.
	mostBytes = 1 << 20
)

// All returns the consents, the oldest first. It refuses a list that other users can read or write.
func (l List) All() ([]Given, error) {
	err := private.ClosedFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := regularfile.Read(l.path, mostBytes)
	if err != nil {
		return nil, err
	}
	var all []Given
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fault.New(fault.PathError, "cannot read %s: %w", l.path, err).With("file", l.path).
			WithHint("move the file away and allow each address again: %s", hint.Command("ios-agent trust ADDRESS"))
	}
	return all, nil
}

// Of returns the names that the file of a project may contain. A list that cannot be read allows nothing.
func (l List) Of(project string) (what []string) {
	all, err := l.All()
	if err != nil || len(all) == 0 {
		return nil
	}
	project = plain(project)
	for _, g := range all {
		if g.Project == project {
			what = append(what, g.What)
		}
	}
	return what
}

// Add adds a consent for each name; a name that has consent already stays as it is.
func (l List) Add(project string, now time.Time, what ...string) error {
	return l.change(func(all []Given) ([]Given, error) {
		for _, w := range what {
			is := func(g Given) bool { return g.Project == plain(project) && g.What == w }
			if !slices.ContainsFunc(all, is) {
				all = append(all, Given{Project: plain(project), What: w, Since: now.UTC().Truncate(time.Second)})
			}
		}
		if len(all) > Most {
			return nil, fault.New(fault.TooLarge, "trust list full: it has %d entries", Most).
				WithHint("remove an entry: %s", hint.Command("ios-agent trust --remove ADDRESS"))
		}
		return all, nil
	})
}

// Remove removes consents, and returns how many it removed.
func (l List) Remove(project string, what ...string) (removed int, err error) {
	err = l.change(func(all []Given) ([]Given, error) {
		before := len(all)
		all = slices.DeleteFunc(all, func(g Given) bool { return g.Project == plain(project) && slices.Contains(what, g.What) })
		removed = before - len(all)
		return all, nil
	})
	return removed, err
}

func (l List) change(to func([]Given) ([]Given, error)) error {
	all, err := l.All()
	if err != nil {
		return err
	}
	if all, err = to(all); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(l.path, append(raw, '\n'))
}

// plain returns a folder without links, so that two ways to the same project are one project.
func plain(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return filepath.Clean(folder)
}
