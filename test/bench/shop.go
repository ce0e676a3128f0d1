package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// step is a call with its input.
type step struct{ name, input string }

// openShop logs into the built-in shop: five calls.
func (a *api) openShop(ctx context.Context) error {
	return a.walk(ctx,
		step{"boot_device", `{"sim":"iPhone 16"}`},
		step{"launch_app", `{"bundle_id":"com.iosagent.shop","restart":true}`},
		step{"type_text", `{"identifier":"email-field","text":"ada@example.com"}`},
		step{"type_text", `{"identifier":"password-field","text":"secret"}`},
		step{"tap_element", `{"identifier":"login-button","expect_change":true}`},
	)
}

func (a *api) walk(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		if err := a.call(ctx, s.name, s.input); err != nil {
			return err
		}
	}
	return nil
}

// remembering is the memory of an idle user's two processes: the client's proxy, and the daemon. It is read at once, so that a pending
// garbage collection counts against us.
func remembering(ctx context.Context, l *lab) (figures []figure, err error) {
	a, err := l.api(ctx)
	if err != nil {
		return nil, err
	}
	look := step{"snapshot", ""}
	if err := errors.Join(a.openShop(ctx), a.walk(ctx, look, look, look, step{"take_screenshot", ""}, step{"list_devices", ""})); err != nil {
		return nil, err
	}
	figures = append(figures, resident("memory: daemon after ten calls", a.status.PID, 70))
	s, err := l.serve(ctx, l.command("ios-agent", "mcp"))
	if err != nil {
		return figures, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := errors.Join(s.initialize(ctx), s.call(ctx, "snapshot")); err != nil {
		return figures, err
	}
	whole := resident("memory: stdio proxy after one call", s.process.PID, 25)
	whole.systems = true // four fifths are pages of the program: the system has more of them in RAM than are used, and processes share them
	return append(figures, whole, owned("memory: stdio proxy after one call, its own", s.process.PID, 8)), nil
}

// tapping is an action with its verdict: find the element, tap, wait until the screen rests, tell what changed.
func tapping(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	seeing, err := l.spawns(func() error { return a.call(ctx, "doctor", "") }) // which runs Apple's tools
	if err != nil {
		return nil, err
	}
	spawning := 0
	got, err := alternate(30, func() (took time.Duration, err error) {
		spawned, err := l.spawns(func() (err error) { took, err = a.tap(ctx); return err })
		if spawned {
			spawning++
		}
		return took, err
	})
	if err != nil {
		return nil, fmt.Errorf("tapping: %w", err)
	}
	return []figure{
		{name: "tap: on the Shop, request-driven time, over REST", value: inMillis(median(got[0])), unit: millis, bound: 400},
		{name: "tap: how many of 30 started a process", value: float64(spawning), unit: pieces, bound: 0, skipped: !seeing},
	}, nil
}

func (a *api) tap(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := a.call(ctx, "tap_element", `{"identifier":"add-coffee","expect_change":true}`)
	return time.Since(began), err
}

// spawns reports whether any process of the lab started another one meanwhile.
func (l *lab) spawns(do func() error) (bool, error) {
	before := familyOf(l.mark)
	err := do()
	return before.spawned(familyOf(l.mark)), err
}
