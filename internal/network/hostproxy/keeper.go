package hostproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"ios-agent/internal/apple/networksetup"
)

// KeeperOptions configure a Keeper.
type KeeperOptions struct {
	Tool    networksetup.Tool
	Journal string
	// Watch starts a watcher, as StartWatcher does; nil: nobody watches.
	Watch func() (io.Closer, error)
	Log   *slog.Logger // nil is silent
}

// Keeper is a daemon's hand on the Mac's settings: it changes them with a watcher beside it, undoes that, takes over what the daemon
// before it changed, and leaves it to the next one. It is safe for concurrent use.
type Keeper struct {
	o    KeeperOptions
	turn chan struct{} // one at a time changes or undoes
	long chan struct{} // see Turn

	mu     sync.Mutex
	change *Change // nil: nothing is changed by us
	tether io.Closer
}

// NewKeeper makes one. It changes nothing.
func NewKeeper(o KeeperOptions) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o, turn: make(chan struct{}, 1), long: make(chan struct{}, 1)}
}

// Turn waits for the turn of somebody who changes both the proxy and the settings: nobody else does until it is given back.
func (k *Keeper) Turn(ctx context.Context) (give func(), err error) {
	select {
	case k.long <- struct{}{}:
		return func() { <-k.long }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *Keeper) take(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginLimit bounds what a daemon does about the settings before it serves.
const beginLimit = 30 * time.Second

// Begin is for a daemon that starts: what a dead one changed is put back. What one that left for it changed is taken over, if resumes
// says that the proxy goes on too.
func (k *Keeper) Begin(resumes bool) {
	if _, err := os.Lstat(k.o.Journal); errors.Is(err, fs.ErrNotExist) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), beginLimit)
	defer cancel()
	if resumes && !Pending(k.o.Journal) {
		if err := k.adopt(ctx); err == nil || errors.Is(err, fs.ErrNotExist) { // the latter: a watcher was quicker
			return
		}
	}
	undone, err := k.Undo(ctx)
	if err != nil {
		k.o.Log.Error("the Mac's proxy settings that a proxy left could not be put back", "error", err)
	} else if undone.Was {
		k.o.Log.Warn("the Mac's proxy settings that a proxy left are put back", "now", undone.Text())
	}
}

func (k *Keeper) adopt(ctx context.Context) error {
	tether, err := k.watch()
	if err != nil {
		return err
	}
	c, err := Adopt(ctx, k.o.Journal)
	if err != nil {
		return errors.Join(err, tether.Close())
	}
	k.note(&c, tether)
	return nil
}

type untied struct{}

func (untied) Close() error { return nil }

func (k *Keeper) watch() (io.Closer, error) {
	if k.o.Watch == nil {
		return untied{}, nil
	}
	if err := os.MkdirAll(dirOf(k.o.Journal), 0o700); err != nil {
		return nil, err
	}
	tether, err := k.o.Watch()
	if err != nil {
		return nil, fmt.Errorf("nobody would put the Mac's proxy settings back after a crash: %w", err)
	}
	return tether, nil
}

// note has the change of now. A watcher of before ends: one that watches for us is there already, or there is nothing to watch.
func (k *Keeper) note(c *Change, tether io.Closer) {
	k.mu.Lock()
	old := k.tether
	k.change, k.tether = c, tether
	k.mu.Unlock()
	if old != nil {
		_ = old.Close() // a pipe that nobody writes to
	}
}

// Set points the Mac's proxies at a port; booted is as SetOptions has it. The watcher is there before anything is changed.
func (k *Keeper) Set(ctx context.Context, service string, port int, booted map[string]string) (Change, error) {
	if err := k.take(ctx); err != nil {
		return Change{}, err
	}
	defer func() { <-k.turn }()
	tether, err := k.watch()
	if err != nil {
		return Change{}, err
	}
	c, err := Set(ctx, SetOptions{Tool: k.o.Tool, Journal: k.o.Journal, Service: service, Port: port, Booted: booted})
	if err != nil {
		return Change{}, errors.Join(err, tether.Close())
	}
	k.note(&c, tether)
	return c, nil
}

// Undo puts the settings back as they were. Without a change it does nothing. When it fails, the change stays known.
func (k *Keeper) Undo(ctx context.Context) (Undone, error) {
	if err := k.take(ctx); err != nil {
		return Undone{}, err
	}
	defer func() { <-k.turn }()
	undone, err := Undo(ctx, k.o.Tool, k.o.Journal)
	if err == nil {
		k.note(nil, nil)
	}
	return undone, err
}

// Current is the change that is made now.
func (k *Keeper) Current() (c Change, is bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.change == nil {
		return Change{}, false
	}
	return *k.change, true
}

// Holds is why the daemon stays, as it is told when it leaves all the same.
func (k *Keeper) Holds() []string {
	c, is := k.Current()
	if !is {
		return nil
	}
	return []string{fmt.Sprintf("the proxy settings of %s are put back in %d seconds, unless the next daemon goes on with the proxy",
		c.Service, int(grace/time.Second))}
}

// Warnings are why requests may go round the proxy although it is set.
func (k *Keeper) Warnings(ctx context.Context) []string { return Warnings(ctx, k.o.Tool) }

// Close leaves the change to the next daemon: the watcher waits a moment for it before it undoes.
func (k *Keeper) Close() error {
	if _, is := k.Current(); !is {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), beginLimit)
	defer cancel()
	err := leave(ctx, k.o.Journal)
	k.note(nil, nil)
	return err
}
