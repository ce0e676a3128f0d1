package builds

import (
	"errors"

	"ios-agent/internal/apple/buildlog"
)

// ErrNotALog is for a text in which nothing is what xcodebuild or swift prints.
var ErrNotALog = errors.New("nothing in it is what xcodebuild or swift prints")

// Read is what an output of xcodebuild or swift says that somebody else's run printed. A text that says nothing of a build is an
// ErrNotALog: without an error it would be a build that succeeded.
func Read(output string) (Result, error) {
	l, err := buildlog.Read([]byte(output))
	if err != nil {
		return Result{}, err
	}
	r := Of(l)
	if l.Result == buildlog.Unknown && r.ErrorCount+r.WarningCount == 0 && r.Tests == nil && buildlog.Sniff([]byte(output)) == 0 {
		return Result{}, ErrNotALog
	}
	return r, nil
}
