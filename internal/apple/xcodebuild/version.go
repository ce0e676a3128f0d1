package xcodebuild

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"ios-agent/internal/machine/host"
)

// Release is a version of Xcode.
type Release struct {
	Version string // 16.4
	Build   string // 16F6
}

// Version returns the release of Xcode that xcodebuild belongs to.
func Version(ctx context.Context, run host.Runner, program string) (Release, error) {
	r, err := run.Run(ctx, host.Cmd{Name: program, Args: []string{"-version"}, Timeout: 30 * time.Second})
	if err != nil {
		return Release{}, err
	}
	return ParseVersion(r.Stdout)
}

var versionText = regexp.MustCompile(`(?m)^Xcode (\S+)\s+Build version (\w+)`)

// ParseVersion reads "Xcode 16.4" and "Build version 16F6", on two lines.
func ParseVersion(out []byte) (Release, error) {
	m := versionText.FindSubmatch(out)
	if m == nil {
		return Release{}, fmt.Errorf("xcodebuild -version: no version in %q", out)
	}
	return Release{string(m[1]), string(m[2])}, nil
}
