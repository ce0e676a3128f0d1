package simctl

import (
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// Exit statuses for errors that do not come from a device.
const (
	exitFailed       = 1
	exitUnrecognized = 1
	exitUsage        = 22 // EINVAL
)

// errUsage means wrong arguments for the verb.
var errUsage = errors.New("wrong arguments")

// unsupported is a feature of the real tool that is missing here. The error says so, because an error of the real tool would mislead
// people.
type unsupported string

func (u unsupported) Error() string { return "Virtual Xcode does not support " + string(u) + " yet." }

// exitStatus is the exit status of a program on a device that already printed its error.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// report prints err like the real tool and returns the exit status.
func (c *call) report(v verb, err error) int {
	var apple *world.Error
	var child exitStatus
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprint(c.Stderr, v.help())
		return exitUsage
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &apple):
		fmt.Fprint(c.Stderr, format(apple))
		return status(apple.Code)
	}
	fmt.Fprintf(c.Stderr, "simctl: %v\n", err)
	return exitFailed
}

// status is the exit status for a code: its lowest byte, but never 0.
func status(code int) int {
	if low := code & 0xFF; low != 0 {
		return low
	}
	return exitFailed
}

func format(e *world.Error) string {
	if e.Domain == "" {
		return e.Message + "\n"
	}
	text := fmt.Sprintf("An error was encountered processing the command (domain=%s, code=%d):\n%s\n", e.Domain, e.Code, e.Message)
	for u := e.Underlying; u != nil; u = u.Underlying {
		indented := strings.ReplaceAll(u.Message, "\n", "\n\t")
		text += fmt.Sprintf("Underlying error (domain=%s, code=%d):\n\t%s\n", u.Domain, u.Code, indented)
	}
	return text
}
