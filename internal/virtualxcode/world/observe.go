package world

import (
	"context"
	"maps"
	"reflect"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// Snapshot is the present tree of an app; bundle "" is the app in front. Callers must not change the tree, because it is shared. It is
// nil if the app does not run.
func (w *World) Snapshot(ctx context.Context, udid, bundle string) (*Element, AppState, error) {
	if err := w.beginLook(ctx, udid, bundle, false); err != nil {
		return nil, "", err
	}
	o, err := w.look(ctx, udid, bundle, false)
	if err == nil {
		err = w.spoilLook(udid, &o)
	}
	return o.Root, o.State, err
}

func (w *World) look(ctx context.Context, udid, bundle string, onlyFront bool) (Observation, error) {
	if err := ctx.Err(); err != nil {
		return Observation{}, err
	}
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return Observation{}, err
	}
	if bundle == "" {
		bundle = d.front()
	}
	o := Observation{Bundle: bundle, State: d.appState(bundle)}
	if v := d.viewOf(bundle, now); v != nil && (!onlyFront || d.readable(bundle)) {
		o.Root = v.root
	}
	if v := d.overlay(now); v != nil && bundle != SpringBoard {
		o.System = v.root
	}
	return o, w.leave(d)
}

// Observe looks at an app until its tree, including frames, has stayed the same for wait.Stable and wait.Min has passed, or until
// wait.Max has. The zero Wait is one look.
func (w *World) Observe(ctx context.Context, udid, bundle string, wait Wait) (Observation, error) {
	if err := w.beginLook(ctx, udid, bundle, wait.OnlyFront); err != nil {
		return Observation{}, err
	}
	start := w.clock.Now()
	still := start // the time of the last change
	var last Observation
	for samples := 1; ; samples++ {
		now := w.clock.Now()
		o, err := w.look(ctx, udid, bundle, wait.OnlyFront)
		if err != nil {
			return Observation{}, err
		}
		if samples > 1 && !same(last, o) {
			still = now
		}
		last = o
		last.Waited, last.Samples, last.Settled = now.Sub(start), samples, now.Sub(still) >= wait.Stable
		if last.Waited >= wait.Max || last.Settled && last.Waited >= wait.Min {
			return last, w.spoilLook(udid, &last)
		}
		if err := w.clock.Sleep(ctx, min(samplePeriod, wait.Max-last.Waited)); err != nil {
			return Observation{}, err
		}
	}
}

// same is fast for an unchanged screen: a screen at rest is built once, so both looks have the same tree.
func same(a, b Observation) bool {
	return a.Bundle == b.Bundle && a.State == b.State && reflect.DeepEqual(a.Root, b.Root) && reflect.DeepEqual(a.System, b.System)
}

// Scene is the renderer's input for one picture of a device.
type Scene struct {
	Device    Device
	Time      time.Time
	Bundle    string            // the app in front
	Dark      bool              // dark mode
	StatusBar map[string]string // overrides of the status bar; see Settings
	Offline   bool              // airplane mode
	Root      *Element          // its tree with the keyboard; nil unless the device is booted
	System    *Element          // SpringBoard's tree over it, or nil
}

// Scene is the present screen of a device. Every device has a screen; the screen of a device that is shut down is black.
func (w *World) Scene(ctx context.Context, udid string) (Scene, error) {
	if err := ctx.Err(); err != nil {
		return Scene{}, err
	}
	d, now, err := w.enterIf(ctx, udid, func(State) error { return nil })
	if err != nil {
		return Scene{}, err
	}
	s := Scene{Device: w.describe(d, now), Time: now}
	if s.Device.State == Booted {
		if d.flaws.Happens(flaw.ScreenshotFails) {
			if err := w.leave(d); err != nil {
				return Scene{}, err
			}
			return Scene{}, noSurface()
		}
		s.Bundle, s.Root, s.Dark = d.front(), d.frontView(now).root, d.Settings.Appearance == "dark"
		s.StatusBar, s.Offline = maps.Clone(d.Settings.StatusBar), d.toggle("airplane")
		if v := d.overlay(now); v != nil && s.Bundle != SpringBoard {
			s.System = v.root
		}
		d.spoilScene(&s)
	}
	return s, w.leave(d)
}
