package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// The settings of a proxy that runs are noted in a file, for the next daemon. That may be of an earlier release: somebody goes back to one,
// or an old client starts its own. What the first release does not know, it drops when it reads the note, and loses when it writes it: a
// rule without its source answers everything with 200. So a note with anything that it does not know has a name for which it does not
// look: the proxy does not run under it, and is started again by the daemon that comes after it. This program and later ones leave a note
// alone that they do not wholly know, whatever its name is.

// firstNote is read by all releases, laterNote by those after the first.
const (
	firstNote = "running.json"
	laterNote = "running-2.json"
)

// inFirstNote are the keys that the first release knows. They are never changed, and none has two meanings in a note.
const inFirstNote = " port listen_host upstream system_proxy chained mocks_dir mocks started more" + // of Settings
	" owner bypass host hold request response" + // of rules.Share and rules.Intercept
	" id pattern times status header name value body bytes json body_file folder delay fault " // of mock.Rule, with response

// anyJSON is the key whose value is of the caller's own: a body.
const anyJSON = "json"

// mostState is how large the note of a proxy may be.
const mostState = mostLine

// newerNote says that a note has what this program does not know.
type newerNote struct {
	path string
	err  error
}

func (e *newerNote) Error() string {
	return fmt.Sprintf("its settings were noted by a newer ios-agent, which starts it again; %s is left as it is: %v", e.path, e.err)
}

func (e *newerNote) Unwrap() error { return e.err }

// note gives the path of the file of a name.
func (c *Controller) note(name string) string { return filepath.Join(c.o.Dir, name) }

// save notes what runs, for the next daemon.
func (c *Controller) save() error {
	c.mu.Lock()
	raw, err := json.Marshal(c.settings)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	name, other := firstNote, laterNote
	if !fitsFirst(raw) {
		name, other = laterNote, firstNote
	}
	if err := wholefile.Write(c.note(name), raw); err != nil {
		return err
	}
	return c.removeNotes(other) // when we are killed before this, the one that was written last counts
}

// fitsFirst reports whether the first release knows all of a note.
func fitsFirst(note json.RawMessage) bool {
	switch bytes.TrimSpace(note)[0] {
	case '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(note, &object) != nil {
			return false
		}
		for key, value := range object {
			if !strings.Contains(inFirstNote, " "+key+" ") || key != anyJSON && !fitsFirst(value) {
				return false
			}
		}
	case '[':
		var list []json.RawMessage
		return json.Unmarshal(note, &list) == nil && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return !fitsFirst(v) })
	}
	return true
}

// noted reads the note that was written last; an error that is fs.ErrNotExist: there is none.
func (c *Controller) noted() (s Settings, err error) {
	last, when := c.note(laterNote), time.Time{}
	for _, name := range []string{laterNote, firstNote} {
		if info, err := os.Lstat(c.note(name)); err == nil && info.ModTime().After(when) {
			last, when = c.note(name), info.ModTime()
		}
	}
	raw, err := regularfile.Read(last, mostState)
	if err != nil {
		return Settings{}, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return Settings{}, err
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(new(Settings)); err != nil {
		return Settings{}, &newerNote{last, err}
	}
	return s, nil
}

// removeNotes has the next daemon start no proxy; with a name it removes that note alone.
func (c *Controller) removeNotes(names ...string) (err error) {
	if len(names) == 0 {
		names = []string{firstNote, laterNote}
	}
	for _, name := range names {
		if no := os.Remove(c.note(name)); !errors.Is(no, fs.ErrNotExist) {
			err = errors.Join(err, no)
		}
	}
	return err
}
