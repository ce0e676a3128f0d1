package quern

import (
	"context"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/builds"
)

// mostOutput is how many bytes the output of a build may have, with what JSON adds to it.
const mostOutput = 16 << 20

// buildOut is quern's answer, with which build it was.
type buildOut struct {
	builds.Result
	Groups []warningGroup `json:"warning_groups"`
}

// Text says that there is nothing; what there is, is JSON.
func (b *buildOut) Text() string {
	if b == nil {
		return "No build yet: nothing was built here, and no output was parsed. parse_build_output (POST /api/v1/builds/parse) reads what " +
			"xcodebuild printed."
	}
	if b.NotRun {
		return "The tests of the build " + b.ID + " were not run."
	}
	return "The build " + b.ID + " " + b.Status() + "."
}

func buildOf(r builds.Result) *buildOut { return &buildOut{r, groups(r.Warnings)} }

// latestBuild is null when there is none.
func (v views) latestBuild(ctx context.Context, c *op.Call, _ noIn) (*buildOut, error) {
	last, err := v.core.Said.LastBuild(ctx, c)
	if err != nil || last == nil {
		return nil, err
	}
	return buildOf(*last), nil
}

// parseIn is quern's input.
type parseIn struct {
	Output string `json:"output" doc:"what xcodebuild printed"`
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
