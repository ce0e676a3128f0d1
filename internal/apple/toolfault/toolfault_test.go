package toolfault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

func TestToolErrorsMapToFaultCodes(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want fault.Code
		text string
	}{
		"xcrun is missing": {&host.NotFoundError{Name: "/bin/xcrun"}, fault.NoXcode,
			"listing: xcrun is not installed: program not found: /bin/xcrun"},
		"xcodebuild is missing": {&host.NotFoundError{Name: "xcodebuild"}, fault.NoXcode,
			"listing: xcodebuild is not installed: program not found: xcodebuild"},
		"open is missing": {&host.NotFoundError{Name: "open"}, fault.ToolMissing,
			"listing: open is not installed: program not found: open"},
		"xcrun without the tool": {&host.ExitError{Name: "/bin/xcrun", Code: 72}, fault.NoXcode,
			"listing: xcrun does not find the tool: Xcode is missing, too old or not selected: /bin/xcrun: exit code 72"},
		"only the command line tools": {&host.ExitError{Name: "xcodebuild", Code: 1, StderrTail: "xcode-select: error: tool 'xcodebuild' " +
			"requires Xcode, but active developer directory '/Library/Developer/CommandLineTools' is a command line tools instance"},
			fault.NoXcode, "listing: Xcode is missing or not selected: the active developer folder has the command line tools only: " +
				"xcodebuild: exit code 1: xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory " +
				"'/Library/Developer/CommandLineTools' is a command line tools instance"},
		"no licence": {&host.ExitError{Name: "xcrun", Code: 69, StderrTail: "You have not agreed to the Xcode license agreements."},
			fault.NoXcode, "listing: nobody agreed to Xcode's licence: xcrun: exit code 69: You have not agreed to the Xcode license agreements."},
		"69 for another reason": {&host.ExitError{Name: "xcrun", Code: 69}, fault.BootFailed, "listing: xcrun: exit code 69"},
		"72 of another program": {&host.ExitError{Name: "open", Code: 72}, fault.BootFailed, "listing: open: exit code 72"},
		"a refusal": {&host.ExitError{Name: "xcrun", Code: 1, StderrTail: "a\nno"}, fault.BootFailed,
			"listing: xcrun: exit code 1: no"},
		"no end":       {&host.TimeoutError{Name: "xcrun", After: time.Second}, fault.Timeout, "listing: xcrun: no end within 1s"},
		"no answer":    {errors.New("strange"), fault.BootFailed, "listing: strange"},
		"cancelled":    {fmt.Errorf("xcrun: %w", context.Canceled), fault.Cancelled, "cancelled: xcrun: context canceled"},
		"our deadline": {fmt.Errorf("xcrun: %w", context.DeadlineExceeded), fault.Timeout, "ran out of time: xcrun: context deadline exceeded"},
		"a fault":      {fmt.Errorf("x: %w", fault.New(fault.PathError, "no such app")), fault.PathError, "no such app"},
	} {
		got := fault.From(toolfault.New(c.err, fault.BootFailed, "listing"))
		if got.Code != c.want || got.Message != c.text {
			t.Errorf("%s: %s %q, want %s %q", name, got.Code, got.Message, c.want, c.text)
		}
	}
	if err := toolfault.New(nil, fault.ToolFailed, "x"); err != nil {
		t.Errorf("no error became %v", err)
	}
}

func TestOfNamesTheTool(t *testing.T) {
	for want, err := range map[string]error{
		"xcrun: /bin/xcrun: exit code 1: no":              &host.ExitError{Name: "/bin/xcrun", Code: 1, StderrTail: "no"},
		"xcrun: /bin/xcrun: no end within 1s":             &host.TimeoutError{Name: "/bin/xcrun", After: time.Second},
		"axe is not installed: program not found: /b/axe": &host.NotFoundError{Name: "/b/axe"},
		"xcrun does not find the tool: Xcode is missing, too old or not selected: /b/xcrun: exit code 72": &host.ExitError{
			Name: "/b/xcrun", Code: 72},
		"a tool's answer cannot be used: strange": errors.New("strange"),
	} {
		if got := toolfault.Of(err); got.Error() != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What the tool printed is in the details: the messages show one line of it.
func TestFaultDetailsHoldExitCodeAndStderr(t *testing.T) {
	f := fault.From(toolfault.Of(&host.ExitError{Name: "xcrun", Code: 3, StderrTail: "first\nlast"}))
	got, err := json.Marshal(f)
	if want := `"details":{"exit_code":3,"stderr":"first\nlast"}`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%s, %v", got, err)
	}
}
