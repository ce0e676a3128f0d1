package world

import "slices"

// TestRunner is the app on a device in which tests run. It lives as long as whoever runs them says, or until it is terminated.
type TestRunner struct {
	PID    int
	Bundle string

	w    *World
	on   *device
	gone chan struct{} // closed when it is terminated
}

// RunTests starts a test runner. On a device that is gone it runs nowhere.
func (w *World) RunTests(udid string, pid int, bundle string) *TestRunner {
	r := &TestRunner{PID: pid, Bundle: bundle, w: w, gone: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	if d, err := w.device(udid); err == nil {
		r.on = d
		d.runners = append(d.runners, r)
	}
	return r
}

// Terminated is closed when somebody terminates the runner, as simctl terminate does.
func (r *TestRunner) Terminated() <-chan struct{} { return r.gone }

// End ends the runner.
func (r *TestRunner) End() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if r.on != nil {
		r.on.runners = slices.DeleteFunc(r.on.runners, func(other *TestRunner) bool { return other == r })
	}
}

// endRunners terminates the test runners of a bundle id, and reports whether there were any.
func (d *device) endRunners(bundle string) bool {
	before := len(d.runners)
	d.runners = slices.DeleteFunc(d.runners, func(r *TestRunner) bool {
		if r.Bundle == bundle {
			close(r.gone)
		}
		return r.Bundle == bundle
	})
	return len(d.runners) < before
}

// runner is the bundle id of the test runner that came last.
func (d *device) runner() string {
	if n := len(d.runners); n > 0 {
		return d.runners[n-1].Bundle
	}
	return "com.apple.test." + runnerName
}
