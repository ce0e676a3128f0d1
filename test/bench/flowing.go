package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/spool"
	"ios-agent/internal/telemetry"
)

// keptFlows is how many flows are looked through: as many as are kept.
const keptFlows = 50_000

// flowing takes requests with 1 KB answers from the proxy's spool into the store, and asks about them when there are many.
func flowing(ctx context.Context, _ *lab) ([]figure, error) {
	dir, err := os.MkdirTemp("", "ios-agent-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db")})
	defer s.Close()
	c := capture.New(capture.Options{Store: s, Spool: filepath.Join(dir, "spool"), Bodies: filepath.Join(dir, "bodies")})
	defer c.Close()
	w, err := spool.NewWriter(spool.Options{Dir: filepath.Join(dir, "spool")})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	begin := time.Now()
	for i := range keptFlows {
		w.Tell(oneFlow(i, begin))
		if i%1000 == 999 { // what comes in a second
			w.Flush()
			if err := c.Sync(ctx); err != nil {
				return nil, err
			}
		}
	}
	took := time.Since(begin)
	if lost, err := w.Lost(); lost > 0 || err != nil {
		return nil, fmt.Errorf("%d flows were dropped: %w", lost, err)
	}
	out := []figure{{name: "network: 1,000 requests into the store", value: inMillis(took) / keptFlows * 1000, unit: millis, bound: 500}}
	for _, ask := range []struct {
		name  string
		bound float64
		do    func() (int, error)
		want  int
	}{
		{"network: list the failed of 50,000 requests", 50, func() (int, error) {
			_, total, err := c.List(ctx, flow.Filter{StatusMin: 400, Path: "/order"}, capture.Page{Newest: true})
			return total, err
		}, keptFlows / 100},
		{"network: show the newest 100 requests whole", 50, func() (int, error) {
			got, _, err := c.Query(ctx, flow.Filter{}, capture.Page{Newest: true})
			return len(got), err
		}, 100},
	} {
		var samples []time.Duration
		for range 5 {
			begin := time.Now()
			got, err := ask.do()
			if err != nil {
				return nil, err
			}
			if samples = append(samples, time.Since(begin)); got != ask.want {
				return nil, fmt.Errorf("%s: %d, not %d", ask.name, got, ask.want)
			}
		}
		out = append(out, figure{name: ask.name, value: inMillis(median(samples)), unit: millis, bound: ask.bound})
	}
	return out, nil
}

func oneFlow(i int, begin time.Time) flow.Flow {
	f := flow.Flow{
		ID: fmt.Sprintf("f_%012x", i), State: flow.Done, Started: begin.Add(time.Duration(i) * time.Microsecond),
		Client:   flow.Client{Simulator: "phone", App: "com.example.shop"},
		Request:  flow.Request{Method: "GET", URL: fmt.Sprintf("https://shop.example/order/%d?page=2", i), Protocol: "HTTP/2.0"},
		Response: &flow.Response{Status: 200, Protocol: "HTTP/2.0", Body: flow.Body{Size: 1024, Content: bytes.Repeat([]byte("x"), 1024)}},
		Timing:   flow.Timing{Total: 12.5},
	}
	if i%100 == 0 {
		f.Response.Status = 500
	}
	for range 10 {
		f.Request.Header = append(f.Request.Header, flow.Field{Name: "X-Header", Value: "the value of a header"})
	}
	f.Response.Header = f.Request.Header
	return f
}
