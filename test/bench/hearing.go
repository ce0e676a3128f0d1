package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	noisyRuns = 11
	noisyTaps = 30
	fewLines  = 200 // after which a flood is under way
	// noisyRatio is how much longer a tap may take while its app logs 2,000 lines a second.
	noisyRatio = 1.3
)

// hearing is a tap while the app floods its log, and the same without.
func hearing(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	var under figure
	slower, err := a.disturbed(ctx, nothing, func() (end func() error, err error) {
		if _, err := l.took(ctx, "ios-agent", "virtual", "fault", "add", "log-stream-floods", "--set", "lines=2000"); err != nil {
			return nil, err
		}
		if err := a.call(ctx, "logs_start", `{"app":"com.iosagent.shop","level":"debug"}`); err != nil {
			return nil, err
		}
		return func() error {
			under = resident("memory: daemon beside 2000 lines/s", a.status.PID, 150)
			return a.call(ctx, "logs_stop", `{"app":"com.iosagent.shop"}`)
		}, l.floods(ctx)
	})
	if err != nil {
		return nil, err
	}
	if _, err := l.took(ctx, "ios-agent", "virtual", "fault", "clear"); err != nil {
		return nil, err
	}
	return []figure{
		{name: "logs: a tap beside 2000 lines/s / without", value: slower, unit: times, bound: noisyRatio},
		under, idling(ctx, a.status.PID),
	}, nil
}

// noise begins something that goes on beside a tap, until its end.
type noise func() (end func() error, err error)

func nothing() (func() error, error) { return func() error { return nil }, nil }

// disturbed is how many times longer a tap takes beside loud than beside quiet: the median of noisyRuns, each with taps of its own of both
// kinds.
func (a *api) disturbed(ctx context.Context, quiet, loud noise) (float64, error) {
	taps := func(beside noise) ([]time.Duration, error) {
		end, err := beside()
		if err != nil {
			return nil, err
		}
		got, err := alternate(noisyTaps, func() (time.Duration, error) { return a.tap(ctx) })
		if err := errors.Join(err, end()); err != nil {
			return nil, err
		}
		return got[0], nil
	}
	var ratios []float64
	for range noisyRuns {
		baseline, err := taps(quiet)
		if err != nil {
			return 0, err
		}
		disturbed, err := taps(loud)
		if err != nil {
			return 0, err
		}
		ratios = append(ratios, ratio(disturbed, baseline))
	}
	return median(ratios), nil
}

// idleFor is how long an idle daemon is watched; idleLooks is the maximum number of tries to stay within the bound, because work before
// the first try may end in a garbage collection.
const (
	idleFor   = 5 * time.Second
	idleLooks = 3
)

// idling is how much of a core the daemon takes when nobody calls: an app that was launched runs, and its console is read.
func idling(ctx context.Context, pid int) figure {
	f := figure{name: "idle: daemon beside a launched app, of a core", unit: percent, bound: 0.5}
	for range idleLooks {
		before, err := processorTime(pid)
		select {
		case <-time.After(idleFor):
		case <-ctx.Done():
		}
		after, no := processorTime(pid)
		f.value, f.skipped = 100*(after-before).Seconds()/idleFor.Seconds(), err != nil || no != nil
		if !f.over() {
			break
		}
	}
	return f
}

// floods waits until the lines come: a figure without them would say nothing.
func (l *lab) floods(ctx context.Context) error {
	for began := time.Now(); ; {
		out, err := l.host.Run(ctx, l.command("ios-agent", "logs", "sources", "--json"))
		if err != nil {
			return err
		}
		var answer struct {
			Result struct {
				Feeds []struct {
					Status   string
					Captured int64
				}
			}
		}
		if err := json.Unmarshal(out.Stdout, &answer); err != nil {
			return err
		}
		for _, s := range answer.Result.Feeds {
			if s.Status == "streaming" && s.Captured > fewLines {
				return nil
			}
		}
		if time.Since(began) > patience {
			return fmt.Errorf("the log does not flood: %s", out.Stdout)
		}
	}
}
