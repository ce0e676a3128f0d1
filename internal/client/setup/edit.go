package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
)

// file is a place to write to.
type file struct {
	root string // the project, which no link may leave; empty for files of the user's own
	path string
	mode fs.FileMode
}

// read gives what is there; the user's own files may be links to anywhere.
func (f file) read() ([]byte, error) {
	if f.root == "" {
		return docfile.ReadOwn(f.path, docfile.MostSettings)
	}
	name, err := filepath.Rel(f.root, f.path)
	if err != nil {
		return nil, err
	}
	return docfile.Read(f.root, name, docfile.MostSettings)
}

// edit is the change of one file. The function gets the content of the file, nil for a missing file, and returns the same bytes when no
// change is needed.
type edit struct {
	file
	why   string
	apply func(before []byte) ([]byte, error)
}

// lineAt counts lines from one.
func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

// plan is the change, or nil if none is needed.
func (e edit) plan() (*Change, error) {
	before, err := e.read()
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fault.New(fault.PathError, "cannot read %s: %w", e.path, err)
	}
	after, err := e.apply(before)
	if err != nil {
		return nil, e.refused(err)
	}
	if !missing && bytes.Equal(before, after) {
		return nil, nil
	}
	return &Change{Path: e.path, Why: e.why, Before: before, After: after, New: missing, file: e.file}, nil
}

// refused describes the problem of the file and what its owner can paste; the snippet is the content for an empty file.
func (e edit) refused(err error) error {
	f := fault.New(fault.InvalidInput, "%s is left alone: %w", e.path, err).With("file", e.path)
	var at *docfile.Problem
	if errors.As(err, &at) {
		f = fault.New(fault.InvalidInput, "%s:%d is left alone: %s", e.path, at.Line, at.Message).
			With("file", e.path).With("line", at.Line)
	}
	snippet, err := e.apply(nil)
	if err != nil {
		return f
	}
	return f.WithHint("put this into %s yourself:\n%s", e.path, snippet).With("snippet", string(snippet))
}

// marker is in every file that is wholly ours. Without it, a file is its user's, whatever its name is.
const marker = "Written by `ios-agent init`; to keep changes of your own, remove this line."

// whole is the edit of a file that is wholly ours.
func whole(f file, why, text string) edit {
	return edit{f, why, func(before []byte) ([]byte, error) {
		now := strings.ReplaceAll(string(before), "\r\n", "\n") // git may have changed the line ends
		if before != nil && (now == text || !strings.Contains(now, marker)) {
			return before, nil
		}
		return []byte(text), nil
	}}
}

// skill is the edit that puts the skill, if there is one, into a client's folder of skills.
func (o Options) skill(folder string) []edit {
	if o.Skill == "" {
		return nil
	}
	return []edit{whole(o.project(folder, "skills", name, "SKILL.md"), "teaches the agent the work loop and the commands", o.Skill)}
}

// quote writes a string as JSON does, which TOML and Starlark read alike. Reading its output and quoting again gives the same text: values
// are compared that way.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(strings.ToValidUTF8(s, "\ufffd")) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// newlineOf is how the lines of a text end.
func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// bom may stand before a text. It is kept.
const bom = "\ufeff"
