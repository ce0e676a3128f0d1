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

// Bounds of the files. The parser of YAML is recursive and needs seconds for 60,000 brackets.
const (
	MostYAML     = 32 << 10
	MostPlist    = 256 << 10 // of an app; real ones have some kilobytes
	MostSettings = 4 << 20   // of a client
)

// Bounds of what a document means once its references are followed: a few lines of aliases can mean millions of nodes.
const (
	maxDepth     = 64
	maxYAMLNodes = 20_000
	maxNodes     = 250_000
)

// wait is how long reading a file may take: a file on the disk of another machine, or in the cloud, may never arrive.
const wait = 5 * time.Second

// ErrSlow says that a file did not come within its time.
var ErrSlow = fmt.Errorf("it could not be read within %s", wait)

// Problem is what is wrong with a file, and in which line. It never quotes the file, which may be a link to a secret.
type Problem struct {
	Line    int
	Message string
}

func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

// Place is where an error is: the path, with the line where it is known.
func Place(path string, err error) string {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return fmt.Sprintf("%s:%d", path, p.Line)
	}
	return path
}

// Reason is what an error says, without its line.
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

// ReadOwn is Read of a file that only the user can have put there: a link is followed wherever it leads.
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
	if !info.Mode().IsRegular() { // not even opened: that alone makes some devices do something
		return nil, regularfile.ErrNotRegular
	}
	in, err := r.OpenFile(name, regularfile.Flags, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return regularfile.ReadFrom(in, most)
}

// within gives up a read that takes too long. It goes on in the background: nothing can end it.
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
