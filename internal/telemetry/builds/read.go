package builds

import (
	"errors"

	"ios-agent/internal/apple/buildlog"
)

// ErrNotALog means that a text has no output of xcodebuild or swift.
var ErrNotALog = errors.New("it has no output of xcodebuild or swift")

// Read is the result in an output of xcodebuild or swift from another program's run. A text without such output is an ErrNotALog:
// otherwise it would count as a successful build.
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
