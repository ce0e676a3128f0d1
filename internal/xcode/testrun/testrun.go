// Package testrun runs the tests of Xcode projects and remembers, for each session, the result bundle of its last run: what
// is asked about coverage is asked about that.
package testrun

import (
	"context"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/xcode/build"
)

// Runs is safe for concurrent use.
type Runs struct {
	engine *build.Engine

	mu   sync.Mutex
	last recent.Map[string, string] // result bundles, by session
}

// mostSessions is how many sessions have their last run remembered.
const mostSessions = 1000

// New makes Runs over an engine.
func New(e *build.Engine) *Runs {
	return &Runs{engine: e, last: recent.Map[string, string]{Most: mostSessions}}
}

// Run runs tests for a session.
func (r *Runs) Run(ctx context.Context, session string, request build.Request, tell func(build.Progress)) (*build.Outcome, error) {
	out, err := r.engine.Do(ctx, request, tell)
	if err == nil && out.Bundle != "" {
		r.keep(session, out.Bundle)
	}
	return out, err
}

func (r *Runs) keep(session, bundle string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last.Put(session, bundle)
}

// Bundle is the result bundle that a session means: the one it names, else that of its last run.
func (r *Runs) Bundle(session, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if path, ok := r.last.Get(session); ok {
		return path, nil
	}
	return "", fault.New(fault.InvalidInput, "xcresultPath is required: this session has run no tests yet").With("field", "xcresultPath").
		WithHint(`run tests with extraArgs ["-enableCodeCoverage", "YES"] first`)
}
