package builds

import "ios-agent/internal/apple/buildlog"

// Read is what an output of xcodebuild or swift says that somebody else's run printed.
func Read(output string) (Result, error) {
	l, err := buildlog.Read([]byte(output))
	if err != nil {
		return Result{}, err
	}
	return Of(l), nil
}
