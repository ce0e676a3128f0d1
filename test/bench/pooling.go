package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/statedb"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/store"
)

// pooling is what it costs to get a device: beside builds, among many, and on the disk.
func pooling(ctx context.Context, l *lab) ([]figure, error) {
	beside, err := claimingBesideBuilds(ctx, l)
	if err != nil {
		return nil, err
	}
	among, err := resolvingAmongMany(ctx)
	if err != nil {
		return beside, err
	}
	kept, err := keeping(ctx, l)
	return append(append(beside, among...), kept...), err
}

// claimPairs is how many claims, each with its release, a round has: the worst five of them are its worst hundredth.
const claimPairs = 500

// claimingBesideBuilds is the 99th percentile of a claim over REST while projects are built, and without.
func claimingBesideBuilds(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.call(ctx, "boot_device", `{"sim":"iPhone 16"}`)
	}
	if err != nil {
		return nil, err
	}
	build, err := l.sampleBuild(ctx)
	if err != nil {
		return nil, err
	}
	got, err := alternate(rounds,
		func() (time.Duration, error) { return a.slowestClaim(ctx) },
		func() (time.Duration, error) {
			busy, stop := context.WithCancel(ctx)
			done := make(chan error)
			go func() {
				var err error
				for busy.Err() == nil && err == nil {
					_, err = l.host.Run(ctx, build)
				}
				done <- err
			}()
			took, err := a.slowestClaim(ctx)
			stop()
			return took, errors.Join(err, <-done)
		})
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "claim: p99 over REST beside builds", value: inMillis(median(got[1])), unit: millis, bound: 50},
		{name: "claim: p99 over REST beside builds / without", value: ratio(got[1], got[0]), unit: times, bound: besideRatio},
	}, nil
}

func (a *api) slowestClaim(ctx context.Context) (time.Duration, error) {
	got, err := alternate(claimPairs, func() (time.Duration, error) {
		began := time.Now()
		err := a.call(ctx, "claim_device", `{"name":"iPhone 16"}`)
		took := time.Since(began)
		return took, errors.Join(err, a.call(ctx, "release_device", `{}`))
	})
	if err != nil {
		return 0, err
	}
	return quantile(got[0], 0.99), nil
}

// sampleBuild is a build of a sample project by the virtual xcodebuild.
func (l *lab) sampleBuild(ctx context.Context) (host.Cmd, error) {
	folder := l.path("project")
	if _, err := l.host.Run(ctx, l.command("ios-agent", "virtual", "project", "app", folder)); err != nil {
		return host.Cmd{}, err
	}
	out, err := l.host.Run(ctx, l.command("ios-agent", "virtual", "path"))
	if err != nil {
		return host.Cmd{}, err
	}
	build := l.command("ios-agent", "build", "-scheme", "Tally", "-destination", "generic/platform=iOS Simulator",
		"-derivedDataPath", l.path("derived"))
	build.Name, build.Dir, build.Timeout = filepath.Join(strings.TrimSpace(string(out.Stdout)), "xcodebuild"), folder, time.Minute
	return build, nil
}

// rack is a driver with a crowd of booted devices: the pool's own work is measured here, not simctl's.
type rack struct{ infos []device.Info }

func newRack() *rack {
	r := &rack{}
	for i := range crowd {
		r.infos = append(r.infos, device.Info{
			UDID: fmt.Sprintf("%08d", i), Name: fmt.Sprint("iPhone ", i%40), OS: fmt.Sprintf("iOS 18.%d", i%7),
			State: device.Booted, Type: "simulator", Available: true,
		})
	}
	return r
}

func (r *rack) Name() string                                { return "rack" }
func (r *rack) List(context.Context) ([]device.Info, error) { return r.infos, nil }
func (r *rack) Open(i device.Info) device.Device            { return shelved{i} }

type shelved struct{ info device.Info }

func (s shelved) Info() device.Info { return s.info }
func (s shelved) Driver() string    { return "rack" }
func (s shelved) Close() error      { return nil }

// resolvingAmongMany is a resolve and its release when half of a thousand devices are taken.
func resolvingAmongMany(ctx context.Context) ([]figure, error) {
	p := pool.New(pool.Options{Drivers: []device.Driver{newRack()}})
	defer p.Close()
	if _, _, err := p.Acquire(ctx, pool.Ask{Holder: "others", Count: crowd / 2}); err != nil {
		return nil, err
	}
	got, err := alternate(200, func() (time.Duration, error) {
		began := time.Now()
		grants, _, err := p.Acquire(ctx, pool.Ask{Holder: "bench", On: true, Want: pool.Want{OS: "18"}})
		took := time.Since(began)
		if err == nil {
			_, err = p.Release(ctx, lease.Who{Holder: "bench"}, grants[0].Info.UDID, "")
		}
		return took, err
	})
	if err != nil {
		return nil, err
	}
	return []figure{{name: "resolve: one of 1,000 devices, warm", value: inMillis(median(got[0])), unit: millis, bound: 10}}, nil
}

// keepers is how many claim at once.
const keepers = 32

// keeping is how long a durable claim takes when many are made at once, beside a bare transaction of the same database on the
// same disk: many claims share one write, so it should be less than one.
func keeping(ctx context.Context, l *lab) (figures []figure, err error) {
	if err := os.MkdirAll(l.path("kept"), 0o700); err != nil {
		return nil, err
	}
	ours := store.New(store.Options{Path: l.path("kept/ours.db"), Migrations: statedb.Migrations()})
	row := []string{"CREATE TABLE row (name TEXT PRIMARY KEY, value TEXT)"}
	bare := store.New(store.Options{Path: l.path("kept/bare.db"), Migrations: row})
	defer func() { err = errors.Join(err, ours.Close(), bare.Close()) }()
	table := lease.NewTable(lease.Options{Journal: statedb.NewJournal(statedb.JournalOptions{Store: ours})})
	defer table.Close()
	const each = 10
	n := 0
	got, err := alternate(15,
		func() (time.Duration, error) {
			began := time.Now()
			var all sync.WaitGroup
			errs := make([]error, keepers)
			for i := range keepers {
				name := fmt.Sprint("D", i)
				all.Go(func() {
					for range each {
						_, err := table.Acquire(ctx, lease.Request{
							Holder: name, Kind: lease.Claim, TTL: time.Hour,
							Among: func(func(string) lease.Lease) []string { return []string{name} },
						})
						errs[i] = errors.Join(errs[i], err)
					}
				})
			}
			all.Wait()
			return time.Since(began) / (keepers * each), errors.Join(errs...)
		},
		func() (time.Duration, error) {
			began := time.Now()
			for range each {
				n++
				err := bare.Write(func(tx *sql.Tx) error {
					_, err := tx.Exec("INSERT OR REPLACE INTO row VALUES (?, ?)", fmt.Sprint(n%keepers), "x")
					return err
				})
				if err != nil {
					return 0, err
				}
			}
			return time.Since(began) / each, nil
		})
	if err != nil {
		return nil, err
	}
	return []figure{{name: "durable claim, 32 at once / a bare SQLite transaction", value: ratio(got[0], got[1]), unit: times, bound: 1}}, nil
}
