// Package docfile reads documents that other programs or people wrote: the YAML of a project or a policy, the property lists of an app, the
// JSON and TOML of a client. Read reads the file, and a parser for each format gives its values. A file costs a bounded amount of memory
// and time whatever it contains, it cannot lead out of its folder, and no message quotes its content.
package docfile

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ios-agent/internal/machine/regularfile"
)

// Maximum sizes of files in bytes. The YAML parser is recursive and needs seconds for 60,000 brackets.
const (
	MostYAML     = 32 << 10
	MostPlist    = 256 << 10 // of an app; real files have some kilobytes
	MostSettings = 4 << 20   // of a client
)

// Bounds of a document with its references followed: a few lines of aliases can mean millions of nodes.
const (
	maxDepth     = 64
	maxYAMLNodes = 20_000
	maxNodes     = 250_000
)

// wait is the time limit for reading a file: a file on a network disk or in the cloud may never arrive.
const wait = 5 * time.Second

// ErrSlow says that a file could not be read within the time limit.
var ErrSlow = fmt.Errorf("it could not be read within %s", wait)

// Problem is an error in a file, with its line. It never quotes the file, which may be a link to a secret.
type Problem struct {
	Line    int
	Message string
}

func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

// Place is the place of an error: the path, with the line if the error has one.
func Place(path string, err error) string {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return fmt.Sprintf("%s:%d", path, p.Line)
	}
	return path
}

// Reason is the message of an error, without its line.
func Reason(err error) string {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.Message
	}
	return err.Error()
}

// Read reads the file name in the folder root up to a number of bytes; a missing file is fs.ErrNotExist. It refuses a link out of the
// folder, a pipe, a device and a folder.
func Read(root, name string, most int64) ([]byte, error) {
	return within(wait, func() ([]byte, error) { return readIn(root, name, most) })
}

// ReadOwn is Read for a file that only the user can have put there: it follows a link wherever the link leads.
func ReadOwn(path string, most int64) ([]byte, error) {
	return within(wait, func() ([]byte, error) { return regularfile.Read(path, most) })
}

func readIn(root, name string, most int64) ([]byte, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info, err := r.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // checked before opening, because opening some devices already has an effect
		return nil, regularfile.ErrNotRegular
	}
	in, err := r.OpenFile(name, regularfile.Flags, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return regularfile.ReadFrom(in, most)
}

// within returns ErrSlow for a read that takes too long. The read continues in the background, because it cannot be ended.
func within(limit time.Duration, read func() ([]byte, error)) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	came := make(chan answer, 1)
	go func() {
		text, err := read()
		came <- answer{text, err}
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case a := <-came:
		return a.text, a.err
	case <-late.C:
		return nil, ErrSlow
	}
}
