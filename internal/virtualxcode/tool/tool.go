// Package tool is one call of a command-line tool: what every front end of Virtual Xcode is given. It knows no tool.
package tool

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Call is one command line and what its process would have. A front end reads nothing of the real process: neither its
// working folder nor its environment, so that a call means the same in every process.
type Call struct {
	Args   []string // what follows the tool's name
	Dir    string   // the caller's working folder
	Env    map[string]string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Complete gives a call an empty input and discards its outputs where it has none.
func (c Call) Complete() Call {
	c.Stdin = cmp.Or[io.Reader](c.Stdin, strings.NewReader(""))
	c.Stdout, c.Stderr = cmp.Or(c.Stdout, io.Discard), cmp.Or(c.Stderr, io.Discard)
	return c
}

// Path is a file that the caller named: relative paths start from its folder.
func (c Call) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// Getenv is a variable of the caller's environment; "" if there is none.
func (c Call) Getenv(name string) string { return c.Env[name] }

// With is the call with other arguments: that of a tool which runs another.
func (c Call) With(args []string) Call {
	c.Args = args
	return c
}

// Refusal is an error in the exact words of the real tool, capital letters included.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Refuse is a Refusal.
func Refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }
