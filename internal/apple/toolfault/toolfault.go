// Package toolfault turns the errors of running Apple's tools into faults. New is the only place that decides which code a missing Xcode, a
// timeout or a refusal gets. Package toolerror reads the refusals; this package does not run any program.
package toolfault

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// The exit statuses of xcrun and xcodebuild that say what Xcode lacks.
const (
	noSuchUtility = 72 // the command line tools are installed without Xcode
	notAgreed     = 69 // nobody agreed to the licence
)

// lack is what a Mac lacks before its tools work.
type lack struct{ what, hint string }

// lacks returns the missing requirement of a tool of Xcode that refused; nil if the refusal has another reason.
func lacks(err error) *lack {
	var exit *host.ExitError
	if !errors.As(err, &exit) {
		return nil
	}
	name := filepath.Base(exit.Name)
	const install = "install Xcode, then select it: `sudo xcode-select -s /Applications/Xcode.app`"
	switch {
	case name == "xcrun" && exit.Code == noSuchUtility:
		return &lack{"xcrun does not find the tool: Xcode is missing, too old or not selected", install}
	case name == "xcodebuild" && strings.Contains(exit.StderrTail, "requires Xcode, but active developer directory"):
		return &lack{"Xcode is missing or not selected: the active developer folder has the command line tools only", install}
	case (name == "xcrun" || name == "xcodebuild") && exit.Code == notAgreed && strings.Contains(exit.StderrTail, "icense"):
		return &lack{"nobody agreed to Xcode's licence", "agree to it: `sudo xcodebuild -license accept`"}
	}
	return nil
}

// NoXcode reports whether err means that Xcode is missing or unusable.
func NoXcode(err error) bool {
	var missing *host.NotFoundError
	if errors.As(err, &missing) {
		return slices.Contains([]string{"xcrun", "xcodebuild", "xcode-select"}, filepath.Base(missing.Name))
	}
	return lacks(err) != nil
}

// Of is New for a tool whose refusal is TOOL_FAILED; the message names the tool.
func Of(err error) error { return New(err, fault.ToolFailed, "") }

// New returns a fault for an error of host.Run or host.Start, or of a tool's package over them. Code is for a program that ran and refused,
// and for an unreadable answer. The text what names the attempt; empty means the tool's name. A fault in the chain is returned unchanged,
// and so is the error of a cancelled or expired context.
func New(err error, code fault.Code, what string) error {
	var f *fault.Fault
	var missing *host.NotFoundError
	var exit *host.ExitError
	var late *host.TimeoutError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &missing):
		code = fault.ToolMissing
		if NoXcode(err) {
			code = fault.NoXcode
		}
		return fault.New(code, "%s%s is not installed: %w", prefix(what), filepath.Base(missing.Name), err)
	case lacks(err) != nil:
		why := lacks(err)
		return fault.New(fault.NoXcode, "%s%s: %w", prefix(what), why.what, err).WithHint("%s", why.hint)
	case errors.As(err, &late):
		return fault.New(fault.Timeout, "%s: %w", cmp.Or(what, filepath.Base(late.Name)), err)
	case errors.As(err, &exit):
		return fault.New(code, "%s: %w", cmp.Or(what, filepath.Base(exit.Name)), err).With("stderr", exit.StderrTail).With("exit_code", exit.Code)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if f, ok := fault.OfDisk(err); ok {
		return f
	}
	if what == "" {
		what = "a tool's answer cannot be used"
	}
	return fault.New(code, "%s: %w", what, err)
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}
