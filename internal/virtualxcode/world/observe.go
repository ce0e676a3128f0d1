package world

import (
	"context"
	"maps"
	"reflect"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// Snapshot is what an app shows now; bundle "" is the one in the foreground. The tree may be shown
// to others too, so nobody changes it. It is nil when the app is not running.
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

// Observe looks at an app until what it shows, frames and all, has stayed the same for wait.Stable and wait.Min
// has passed, or until wait.Max has. The zero Wait is one look.
func (w *World) Observe(ctx context.Context, udid, bundle string, wait Wait) (Observation, error) {
	if err := w.beginLook(ctx, udid, bundle, wait.OnlyFront); err != nil {
		return Observation{}, err
	}
	start := w.clock.Now()
	still := start // since when it has not changed
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

// same is quick where nothing changed: a screen at rest is built once, and both have the same tree.
func same(a, b Observation) bool {
	return a.Bundle == b.Bundle && a.State == b.State && reflect.DeepEqual(a.Root, b.Root) && reflect.DeepEqual(a.System, b.System)
}

// Scene is all a renderer needs to draw a device's screen at one moment.
type Scene struct {
	Device    Device
	Time      time.Time
	Bundle    string            // what is in the foreground
	Dark      bool              // dark mode is on
	StatusBar map[string]string // what the status bar is told to show; see Settings
	Offline   bool              // airplane mode is on
	Root      *Element          // its tree with the keyboard; nil unless the device is booted
	System    *Element          // what SpringBoard shows over it, nil if nothing
}

// Scene is what a device's screen shows now. Every device has a screen; that of one shut down is black.
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
