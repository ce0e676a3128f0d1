package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	readers = 8
	reads   = 250 // a reader and round: the worst twenty of a round are its worst hundredth
	rounds  = 7
)

// reading is how long a small read takes while the daemon has much to do. No operation streams hundreds of megabytes
// yet, so the work beside it is snapshots, one after the other, and the names say so. The bound is on the ratio to the
// same readers alone: the readers themselves keep two cores busy.
func reading(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	got, err := alternate(rounds,
		func() (time.Duration, error) { return a.slowest(ctx) },
		func() (time.Duration, error) { return a.slowestBeside(ctx, "snapshot") })
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "read: p99, 8 REST clients beside one that takes snapshots", value: inMillis(median(got[1])), unit: millis, bound: 150},
		{name: "read: p99, 8 REST clients beside snapshots / without", value: ratio(got[1], got[0]), unit: times, bound: besideRatio},
	}, nil
}

// besideRatio is generous because a worst hundredth is what the machine's other users disturb most.
const besideRatio = 10

// slowestBeside is slowest while another client calls an operation again and again.
func (a *api) slowestBeside(ctx context.Context, name string) (p99 time.Duration, err error) {
	busy, stop := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		var err error
		for busy.Err() == nil && err == nil {
			err = a.call(ctx, name, "")
		}
		done <- err
	}()
	p99, err = a.slowest(ctx)
	stop()
	return p99, errors.Join(err, <-done)
}

// slowest is the 99th percentile of one round.
func (a *api) slowest(ctx context.Context) (time.Duration, error) {
	var all sync.WaitGroup
	took, errs := make([][]time.Duration, readers), make([]error, readers)
	for i := range readers {
		all.Go(func() { took[i], errs[i] = a.read(ctx) })
	}
	all.Wait()
	var together []time.Duration
	for _, t := range took {
		together = append(together, t...)
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	return quantile(together, 0.99), nil
}

func (a *api) read(ctx context.Context) ([]time.Duration, error) {
	got, err := alternate(reads, func() (time.Duration, error) {
		began := time.Now()
		err := a.call(ctx, "ensure_server", "")
		return time.Since(began), err
	})
	if err != nil {
		return nil, err
	}
	return got[0], nil
}
