package builds

import (
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/op/recent"
)

// lastRuns remembers the result bundle of each session's last test run, the default of the coverage operations. It is safe for concurrent
// use.
type lastRuns struct {
	mu      sync.Mutex
	bundles recent.Map[string, string] // by session
}

// mostSessions is the maximum number of sessions whose last run is remembered.
const mostSessions = 1000

func (r *lastRuns) keep(session, bundle string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bundles.Put(session, bundle)
}

// bundle is the result bundle that the call names, else the one of the session's last run.
func (r *lastRuns) bundle(session, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if path, ok := r.bundles.Get(session); ok {
		return path, nil
	}
	return "", fault.New(fault.InvalidInput, "xcresultPath is required: this session has run no tests yet").With("field", "xcresultPath").
		WithHint(`run tests with extraArgs ["-enableCodeCoverage", "YES"] first`)
}
