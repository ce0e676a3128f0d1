package main

import (
	"context"
	"time"
)

// aging compares a daemon that has answered many calls, more than it remembers of them, with the same daemon young: a
// daemon lives for weeks, and must not get slower or larger with every call.
func aging(ctx context.Context, l *lab) ([]figure, error) {
	if _, err := l.took(ctx, "ios-agent", "daemon", "stop"); err != nil {
		return nil, err
	}
	a, err := l.api(ctx)
	if err != nil {
		return nil, err
	}
	young, err := a.alone(ctx)
	for calls := 0; err == nil && calls < manyCalls; calls += readers * reads {
		_, err = a.slowest(ctx)
	}
	if err != nil {
		return nil, err
	}
	old, err := a.alone(ctx)
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "age: read after 12000 calls / on a young daemon", value: ratio(old, young), unit: times, bound: 2},
		resident("age: daemon's memory after 12000 calls", a.status.PID, 60),
	}, nil
}

// manyCalls is more than the 10,000 that the daemon remembers.
const manyCalls = 12_000

// alone is one client reading, long enough that a moment in which the machine is busy does not count; its first round is to warm up.
func (a *api) alone(ctx context.Context) (all []time.Duration, err error) {
	for round := range 6 {
		took, err := a.read(ctx)
		if err != nil {
			return nil, err
		}
		if round > 0 {
			all = append(all, took...)
		}
	}
	return all, nil
}
