package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// LaunchOptions configure a launch.
type LaunchOptions struct {
	Args             []string
	Env              map[string]string
	TerminateRunning bool // terminate a running app first
	Output           Output
}

// Launch starts an app and brings it to the front. A running app keeps its pid and its state, unless o says to terminate it first.
func (w *World) Launch(ctx context.Context, udid, bundle string, o LaunchOptions) (pid int, err error) {
	err = w.act(ctx, udid, launchCost, func(d *device, now time.Time) error {
		if d.flaws.Happens(flaw.LaunchFails) {
			return failsToLaunch(bundle)
		}
		if bundle == SpringBoard {
			d.note(InputHome, finger{now: now})
		}
		if w.launchers[bundle] != nil && d.installed(bundle) != nil {
			pid, err = w.launchRunner(d, bundle, o)
			return err
		}
		if pid, err = d.launch(bundle, o); err == nil {
			d.alertAtLaunch(bundle)
		}
		d.advance(now)
		return err
	})
	return pid, err
}

func (d *device) launch(bundle string, o LaunchOptions) (int, error) {
	if bundle == SpringBoard {
		d.Front = ""
		return d.springboardPID, nil
	}
	i := d.installed(bundle)
	if i == nil {
		return 0, cannotLaunch(bundle)
	}
	if d.Locked {
		return 0, lockedOut(bundle)
	}
	if o.TerminateRunning {
		d.end(bundle)
	}
	p := d.process(bundle)
	if p == nil {
		p = newProcess(d, i.bundle, d.NextPID, o)
		d.NextPID++
		if err := d.start(p, o.Output); err != nil {
			return 0, err
		}
	}
	d.Front = bundle
	return p.PID, nil
}

// start runs a new process.
func (d *device) start(p *process, to Output) error {
	if err := to.create(); err != nil {
		return err
	}
	if to != (Output{}) {
		if d.Outputs == nil {
			d.Outputs = map[string]Output{}
		}
		d.Outputs[p.Bundle] = to
	}
	p.flaws = d.flaws
	d.Running = append(d.Running, p)
	d.log(d.system("com.apple.FrontBoard", "Process", fmt.Sprintf("[app<%s>:%d] Bootstrap success!", p.Bundle, p.PID)))
	return nil
}

// end removes the process of an app and reports whether it ran.
func (d *device) end(bundle string) bool {
	p := d.process(bundle)
	if p == nil {
		return false
	}
	d.log(d.system("com.apple.FrontBoard", "Process", fmt.Sprintf("[app<%s>:%d] Process exited.", bundle, p.PID)))
	delete(d.Outputs, bundle)
	d.unask(bundle)
	p.cancelCalls()
	d.Running = slices.DeleteFunc(d.Running, func(p *process) bool { return p.Bundle == bundle })
	if d.Front == bundle {
		d.Front = ""
	}
	return true
}

// Terminate ends a running app, or a test runner.
func (w *World) Terminate(ctx context.Context, udid, bundle string) error {
	return w.act(ctx, udid, terminateCost, func(d *device, now time.Time) error {
		if !d.end(bundle) && !d.endRunners(bundle, now) {
			return nothingToTerminate(bundle)
		}
		return nil
	})
}
