// Package tool defines one call of a command-line tool (Call): the input of every front end of Virtual Xcode. Refusal is an error in
// the words of the real tool. The package must not know any tool.
package tool

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Call is one command line with the environment of its process. A front end reads nothing else: neither the working folder nor the
// environment of the real process. So a call has the same meaning in every process.
type Call struct {
	Args   []string // the words after the tool's name
	Dir    string   // the caller's working folder
	Env    map[string]string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Complete sets an empty input and discarding outputs where the call has none.
func (c Call) Complete() Call {
	c.Stdin = cmp.Or[io.Reader](c.Stdin, strings.NewReader(""))
	c.Stdout, c.Stderr = cmp.Or(c.Stdout, io.Discard), cmp.Or(c.Stderr, io.Discard)
	return c
}

// Path resolves a file of the command line: relative paths start from the caller's folder.
func (c Call) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// Getenv returns a variable of the caller's environment, or "".
func (c Call) Getenv(name string) string { return c.Env[name] }

// With returns the call with other arguments, for a tool that runs another tool.
func (c Call) With(args []string) Call {
	c.Args = args
	return c
}

// Refusal is an error in the exact words of the real tool, capital letters included.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Refuse returns a Refusal.
func Refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }
