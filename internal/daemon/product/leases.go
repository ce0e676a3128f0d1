package product

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/lease/hostlock"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/statedb"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/store"
	"ios-agent/internal/op/feed"
	poolops "ios-agent/internal/ops/pool"
)

// mostLeaseEvents is how much of what happens to leases can be watched after the fact.
const mostLeaseEvents = 1000

// leases are the table of who may drive which device, and what it is stored in.
type leases struct {
	table *lease.Table
	state *store.Store
	lost  bool // there was a state file before this one, which is gone
	locks *hostlock.Locks
	log   *statedb.Journal
	feed  *feed.Ring[poolops.LeaseEvent]
	life  context.Context
	stop  context.CancelFunc
}

// openLeases wires the leases. The file is opened in a goroutine of its own: the start does not wait for it.
func openLeases(o Options) (*leases, error) {
	h, log := o.Home, o.Log
	dir, err := lockFolder(h, o.Tools)
	if unsafe := (*private.UnsafeError)(nil); errors.As(err, &unsafe) {
		return nil, fault.During("the locks against other homes", err)
	}
	state := store.New(store.Options{Path: h.StateFile(), Migrations: statedb.Migrations(), Log: log, Now: o.Now})
	l := &leases{state: state, lost: exists(h.EpochFile()) && !exists(h.StateFile()), feed: feed.NewRing[poolops.LeaseEvent](mostLeaseEvents)}
	l.log = statedb.NewJournal(statedb.JournalOptions{Store: state, EpochFile: h.EpochFile()})
	options := lease.Options{Journal: l.log, Log: log, Now: o.Now}
	if err == nil {
		l.locks = hostlock.New(hostlock.Options{Dir: dir, Home: h.String(), Now: o.Now, Passing: deskapp.New(nil).Opens})
		options.Guard = l.locks
	} else {
		log.Warn("no lock against other homes", "error", err)
	}
	l.table = lease.NewTable(options)
	l.life, l.stop = context.WithCancel(context.Background())
	go func() { _ = l.table.Load(l.life) }() // a call that needs a lease returns the error
	go poolops.FeedLeases(l.life, l.table, l.feed)
	return l, nil
}

// lockFolder is the folder of the locks that homes of the same devices share: one for each user; with virtual devices one for each home,
// because two virtual worlds have different devices with the same udids. A process that can write the folder can lock every device.
func lockFolder(h home.Home, tools apple.Toolchain) (string, error) {
	parent := h.Virtual()
	if tools.Name != apple.Virtual {
		caches, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		parent = filepath.Join(caches, "ios-agent")
	}
	dir := filepath.Join(parent, "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := private.Folder(parent); err != nil {
		return "", err
	}
	return dir, private.Folder(dir)
}

func (l *leases) parts(devices *pool.Pool) poolops.Leases {
	return poolops.Leases{Events: l.feed, Log: l.log.Log, Notice: func() string {
		said := slices.DeleteFunc([]string{l.state.Notice(), devices.Notice()}, func(s string) bool { return s == "" })
		return strings.Join(said, "; ")
	}}
}

// Close waits until everything that was promised is written.
func (l *leases) Close() error {
	l.stop()
	err := errors.Join(l.table.Close(), l.state.Close())
	if l.locks != nil {
		err = errors.Join(err, l.locks.Close())
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
