package quern

import (
	"context"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/builds"
)

// mostOutput is the maximum size of a build's output in bytes, as JSON.
const mostOutput = 16 << 20

// buildOut is quern's answer and the id of the build.
type buildOut struct {
	builds.Result
	Groups []warningGroup `json:"warning_groups"`
}

// Text is a sentence about the build, also for a missing build; the details are JSON.
func (b *buildOut) Text() string {
	if b == nil {
		return "No build yet: " + hint.Do(parseBuildOutput.FullName(), "output", "OUTPUT") + " reads the output of xcodebuild."
	}
	if b.NotRun {
		return "The tests of the build " + b.ID + " were not run."
	}
	return "The build " + b.ID + " " + b.Status() + "."
}

func buildOf(r builds.Result) *buildOut { return &buildOut{r, groups(r.Warnings)} }

// latestBuild is the latest build, or null before the first one.
func (v views) latestBuild(ctx context.Context, c *op.Call, _ noIn) (*buildOut, error) {
	last, err := v.core.Said.LastBuild(ctx, c)
	if err != nil || last == nil {
		return nil, err
	}
	return buildOf(*last), nil
}

// parseIn is quern's input.
type parseIn struct {
	Output string `json:"output" doc:"output of xcodebuild"`
}

func (v views) parseBuild(ctx context.Context, c *op.Call, in parseIn) (*buildOut, error) {
	r, err := builds.Read(in.Output)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "parse_build_output: %w", err).With("field", "output").
			WithHint("give the whole output of xcodebuild")
	}
	r.Time, r.Session = v.core.Said.Now(), c.Session
	kept, err := v.core.Said.KeepBuild(ctx, r)
	if err != nil {
		return nil, err
	}
	return buildOf(kept), nil
}
