package world

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// TestRunner is an app on a device in which tests run. It lives until End, or until it is terminated.
type TestRunner struct {
	PID    int
	Bundle string

	w     *World
	on    *device
	until time.Time     // the time of its end; zero: it runs
	gone  chan struct{} // closed when it is terminated
}

// launchTries is the duration of a launch that fails because the app still runs.
const launchTries = time.Second

// RunTests starts a test runner. It fails while an older runner with the same bundle id still runs.
func (w *World) RunTests(ctx context.Context, udid string, pid int, bundle string) (*TestRunner, error) {
	r := &TestRunner{PID: pid, Bundle: bundle, w: w, gone: make(chan struct{})}
	w.mu.Lock()
	d, err := w.device(udid)
	var other *TestRunner
	if err == nil {
		d.reapRunners(w.clock.Now())
		if i := slices.IndexFunc(d.runners, func(r *TestRunner) bool { return r.Bundle == bundle && !r.until.IsZero() }); i >= 0 {
			other = d.runners[i]
		} else {
			r.on = d
			d.runners = append(d.runners, r)
		}
	}
	w.mu.Unlock()
	if other == nil {
		return r, err
	}
	if err := w.clock.Sleep(ctx, launchTries); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("failed to launch %s: it is still running with pid %d", bundle, other.PID)
}

// launchRunner launches an installed app as a test runner. A running runner stays, unless the options say to end it first.
func (w *World) launchRunner(d *device, bundle string, o LaunchOptions) (int, error) {
	now := w.clock.Now()
	if d.Locked {
		return 0, lockedOut(bundle)
	}
	if o.TerminateRunning {
		d.endRunners(bundle, now)
	}
	d.reapRunners(now)
	if i := slices.IndexFunc(d.runners, func(r *TestRunner) bool { return r.Bundle == bundle }); i >= 0 {
		return d.runners[i].PID, nil
	}
	r := &TestRunner{PID: d.NextPID, Bundle: bundle, w: w, on: d, gone: make(chan struct{})}
	d.NextPID++
	d.runners = append(d.runners, r)
	w.launchers[bundle](r, d.UDID, o.Env)
	return r.PID, nil
}

// Terminated is closed when the runner is terminated, as by simctl terminate.
func (r *TestRunner) Terminated() <-chan struct{} { return r.gone }

// End ends the runner.
func (r *TestRunner) End() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.on.runners = slices.DeleteFunc(r.on.runners, func(other *TestRunner) bool { return other == r })
}

// installed is the app of a runner on a physical device.
func (r *TestRunner) installed() InstalledApp {
	name := strings.TrimSuffix(r.Bundle, ".xctrunner") + "-Runner"
	return InstalledApp{BundleID: r.Bundle, Name: name, Version: "1.0", Build: "1", Executable: name, State: RunningBackground, PID: r.PID,
		Containers: Containers{App: "/" + r.Bundle + "/" + name + ".app"}}
}

// Abandon is the end of a runner whose xcodebuild was killed: it may keep running for a while.
func (r *TestRunner) Abandon() {
	r.w.mu.Lock()
	outlives, yes := r.on.flaws(flaw.RunnerOutlives)
	if yes {
		r.until = r.w.clock.Now().Add(outlives.Seconds("seconds"))
	}
	r.w.mu.Unlock()
	if !yes {
		r.End()
	}
}

// reapRunners removes the runners that have ended.
func (d *device) reapRunners(now time.Time) {
	d.runners = slices.DeleteFunc(d.runners, func(r *TestRunner) bool { return !r.until.IsZero() && !now.Before(r.until) })
}

// endRunners terminates the test runners of a bundle id, and reports whether any ran.
func (d *device) endRunners(bundle string, now time.Time) bool {
	d.reapRunners(now)
	before := len(d.runners)
	d.runners = slices.DeleteFunc(d.runners, func(r *TestRunner) bool {
		if r.Bundle == bundle {
			close(r.gone)
		}
		return r.Bundle == bundle
	})
	return len(d.runners) < before
}

// runner is the bundle id of the latest test runner.
func (d *device) runner() string {
	if n := len(d.runners); n > 0 {
		return d.runners[n-1].Bundle
	}
	return "com.apple.test." + runnerName
}
