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
	// Watch starts a watcher, as StartWatcher does; nil starts none.
	Watch func() (io.Closer, error)
	Log   *slog.Logger // nil is silent
}

// Keeper changes and restores the Mac's settings for a daemon. Each change has a watcher process. The Keeper also takes over the change
// of an earlier daemon, and leaves its own to the next one. It is safe for concurrent use.
type Keeper struct {
	o    KeeperOptions
	turn chan struct{} // held during a change or an undo
	long chan struct{} // see Turn

	mu     sync.Mutex
	change *Change // nil: this daemon has changed no setting
	tether io.Closer
}

// NewKeeper makes a Keeper. It changes no setting.
func NewKeeper(o KeeperOptions) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o, turn: make(chan struct{}, 1), long: make(chan struct{}, 1)}
}

// Turn waits until the caller is the only one to change both the proxy and the settings; give ends that.
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

// beginLimit bounds the work on the settings before a daemon serves.
const beginLimit = 30 * time.Second

// Begin must run when a daemon starts. It restores settings that a dead daemon changed. If resumes says that the proxy continues too, it
// takes over the change that an exiting daemon left for it.
func (k *Keeper) Begin(resumes bool) {
	if _, err := os.Lstat(k.o.Journal); errors.Is(err, fs.ErrNotExist) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), beginLimit)
	defer cancel()
	if resumes && !Pending(k.o.Journal) {
		if err := k.adopt(ctx); err == nil || errors.Is(err, fs.ErrNotExist) { // not exist: a watcher was quicker
			return
		}
	}
	undone, err := k.Undo(ctx)
	if err != nil {
		k.o.Log.Error("cannot restore the Mac's proxy settings that an earlier proxy left", "error", err)
	} else if undone.Was {
		k.o.Log.Warn("restored the Mac's proxy settings that an earlier proxy left", "now", undone.Text())
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
		return nil, fmt.Errorf("cannot start the watcher that restores the Mac's proxy settings after a crash: %w", err)
	}
	return tether, nil
}

// note records the current change and its watcher, and ends the previous watcher.
func (k *Keeper) note(c *Change, tether io.Closer) {
	k.mu.Lock()
	old := k.tether
	k.change, k.tether = c, tether
	k.mu.Unlock()
	if old != nil {
		_ = old.Close() // closing the pipe cannot lose data
	}
}

// Set points the Mac's proxies at a port; booted is SetOptions.Booted. The watcher starts before any setting is changed.
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

// Undo restores the settings. Without a change it does nothing. When it fails, the change stays recorded.
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

// Current is the current change, if there is one.
func (k *Keeper) Current() (c Change, is bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.change == nil {
		return Change{}, false
	}
	return *k.change, true
}

// Holds says what the daemon still has to do, for the warning when it exits all the same.
func (k *Keeper) Holds() []string {
	c, is := k.Current()
	if !is {
		return nil
	}
	return []string{fmt.Sprintf("the proxy settings of %s are restored in %d seconds, unless the next daemon resumes the proxy",
		c.Service, int(grace/time.Second))}
}

// Warnings are reasons why requests may bypass the proxy although it is set.
func (k *Keeper) Warnings(ctx context.Context) []string { return Warnings(ctx, k.o.Tool) }

// Close leaves the change to the next daemon: the watcher waits grace for it before it undoes the change.
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
