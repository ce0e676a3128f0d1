package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

const (
	noisyRuns = 5
	noisyTaps = 15
	// noisyRatio is how much longer a tap may take while its app logs 2,000 lines a second.
	noisyRatio = 1.3
)

// hearing is a tap while the app floods its log, and the same without: the median of five runs, each with taps of its own of both kinds.
func hearing(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	var ratios []float64
	taps := func() ([]time.Duration, error) {
		got, err := alternate(noisyTaps, func() (time.Duration, error) { return a.tap(ctx) })
		if err != nil {
			return nil, err
		}
		return got[0], nil
	}
	for range noisyRuns {
		quiet, err := taps()
		if err != nil {
			return nil, err
		}
		if _, err := l.took(ctx, "ios-agent", "virtual", "fault", "add", "log-stream-floods", "lines=2000"); err != nil {
			return nil, err
		}
		if err := a.call(ctx, "logs_start", `{"app":"com.iosagent.shop","level":"debug"}`); err != nil {
			return nil, err
		}
		noisy, err := taps()
		if err != nil {
			return nil, err
		}
		if err := l.floods(ctx); err != nil {
			return nil, err
		}
		if err := a.walk(ctx, step{"logs_stop", `{"app":"com.iosagent.shop"}`}); err != nil {
			return nil, err
		}
		ratios = append(ratios, ratio(noisy, quiet))
	}
	return []figure{
		{name: "logs: a tap beside 2000 lines/s / without, median of 5", value: median(ratios), unit: times, bound: noisyRatio},
	}, nil
}

// floods fails when the lines do not come: a figure without them would say nothing.
func (l *lab) floods(ctx context.Context) error {
	out, err := l.host.Run(ctx, l.command("ios-agent", "logs", "sources", "--json"))
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Feeds []struct {
				ID, Status string
				Captured   int64
			}
		}
	}
	if err := json.Unmarshal(out.Stdout, &answer); err != nil {
		return err
	}
	for _, s := range answer.Result.Feeds {
		if s.Status == "streaming" && s.Captured > 500 {
			return nil
		}
	}
	return fmt.Errorf("the log does not flood: %s", out.Stdout)
}
