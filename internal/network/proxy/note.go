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

// A file, the note, has the settings of the running proxy for the next daemon. The next daemon may be an earlier release: a user goes
// back, or an old client starts its own. The first release ignores unknown keys, so that it would lose them: a rule without its source
// would answer everything with 200. Therefore a note with unknown keys has a second name, which the first release does not read: under it
// the proxy does not run, and a later daemon starts it again. This program and later releases never overwrite a note with unknown keys,
// under either name.

// All releases read firstNote; releases after the first also read laterNote.
const (
	firstNote = "running.json"
	laterNote = "running-2.json"
)

// inFirstNote are the keys that the first release knows. They never change, and each has only one meaning in a note.
const inFirstNote = " port listen_host upstream system_proxy chained mocks_dir mocks started more" + // of Settings
	" owner bypass host hold request response" + // of rules.Share and rules.Intercept
	" id pattern times status header name value body bytes json body_file folder delay fault " // of mock.Rule, with response

// anyJSON is the key whose value is the caller's data: a body.
const anyJSON = "json"

// mostState is the maximum size of a note, in bytes.
const mostState = mostLine

// newerNote says that a note contains keys that this program does not know.
type newerNote struct {
	path string
	err  error
}

func (e *newerNote) Error() string {
	return fmt.Sprintf("a newer ios-agent saved its settings in %s and will start it again: %v", e.path, e.err)
}

func (e *newerNote) Unwrap() error { return e.err }

// note is the path of a note, by its name.
func (c *Controller) note(name string) string { return filepath.Join(c.o.Dir, name) }

// save writes the note for the next daemon.
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
	return c.removeNotes(other) // after a kill before this line, the newer file counts
}

// fitsFirst reports whether the first release knows all keys of a note.
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

// noted reads the newer of the two notes; an error that is fs.ErrNotExist means that both are missing.
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

// removeNotes removes the notes, so that the next daemon starts no proxy; with names, it removes only these.
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
