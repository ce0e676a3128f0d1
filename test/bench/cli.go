package main

import (
	"context"
	"time"
)

// calling is a command line call to a daemon that runs.
func calling(ctx context.Context, l *lab) ([]figure, error) {
	if _, err := l.took(ctx, "ios-agent", "ensure-server"); err != nil {
		return nil, err
	}
	got, err := alternate(30,
		func() (time.Duration, error) { return l.took(ctx, "ios-agent", "ensure-server") },
		func() (time.Duration, error) { return l.took(ctx, "hello") })
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "cli: warm call", value: inMillis(median(got[0])), unit: millis, bound: 20},
		{name: "cli: warm call / a Go program that says hello", value: ratio(got[0], got[1]), unit: times, bound: warmRatio},
	}, nil
}

// warmRatio is generous: a call needs two processes that meet on a socket, hello only one process.
const warmRatio = 8

// waking is the first call after the daemon is gone. The daemon's copy of the program is there already.
func waking(ctx context.Context, l *lab) ([]figure, error) {
	got, err := alternate(7, func() (time.Duration, error) {
		if _, err := l.took(ctx, "ios-agent", "daemon", "stop"); err != nil {
			return 0, err
		}
		return l.took(ctx, "ios-agent", "ensure-server")
	})
	if err != nil {
		return nil, err
	}
	return []figure{{name: "cli: cold call, which starts the daemon", value: inMillis(median(got[0])), unit: millis, bound: 250}}, nil
}
