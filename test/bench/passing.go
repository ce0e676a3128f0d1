package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

const (
	passingRate  = 1000 // requests a second
	passingRatio = 1.2  // how much longer a tap may take beside them
)

// passing is a tap while requests go through the proxy of the daemon, beside a tap while the same requests go past it, and beside one
// without any: who sends and who answers them takes the processor too, so the last is up to the system. They are not encrypted: that of
// a connection which stays open costs the proxy little, and the server would have to be trusted by a daemon that runs.
func passing(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	raw, err := a.ask(ctx, "proxy_start", "{}")
	if err != nil {
		return nil, err
	}
	var answer struct{ Port int }
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	kilobyte := make([]byte, wireSize)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(kilobyte) }))
	defer origin.Close()
	requests := func(client func() *http.Client) noise {
		return func() (func() error, error) { return pass(ctx, client, origin.URL), nil }
	}
	past := requests(func() *http.Client { return &http.Client{Transport: &http.Transport{}} })
	through := requests(func() *http.Client { return wireClient(fmt.Sprintf("127.0.0.1:%d", answer.Port), false) })
	figures := []figure{
		{name: "proxy: a tap beside 1000 requests/s / past the proxy", unit: times, bound: passingRatio},
		{name: "proxy: a tap beside 1000 requests/s / beside none", unit: times, bound: passingRatio, systems: true},
	}
	for i, quiet := range []noise{past, nothing} {
		if figures[i].value, err = a.disturbed(ctx, quiet, through); err != nil {
			return nil, err
		}
	}
	return figures, a.call(ctx, "proxy_stop", "{}")
}

// pass sends requests until the end, which fails when they were too few: a figure would say nothing.
func pass(ctx context.Context, client func() *http.Client, origin string) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	sent, errs := make([]int, wireConns), make([]error, wireConns)
	var wg sync.WaitGroup
	began := time.Now()
	for i := range wireConns {
		wg.Go(func() {
			c := client()
			defer c.CloseIdleConnections()
			due := time.NewTicker(wireConns * time.Second / passingRate)
			defer due.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-due.C:
				}
				if err := fetch(ctx, c, origin, false); err != nil {
					if ctx.Err() == nil {
						errs[i] = err
					}
					return
				}
				sent[i]++
			}
		})
	}
	return func() error {
		cancel()
		wg.Wait()
		all := 0
		for _, n := range sent {
			all += n
		}
		if rate := float64(all) / time.Since(began).Seconds(); rate < passingRate/2 {
			errs = append(errs, fmt.Errorf("only %.0f requests/s were sent, not %d", rate, passingRate))
		}
		return errors.Join(errs...)
	}
}
