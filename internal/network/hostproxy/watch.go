package hostproxy

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/machine/host"
)

// patience is how long a live owner may take to undo its change after it closed the pipe.
const patience = 2 * time.Second

// Watch is the watcher process. It waits for the end of stdin, a pipe whose other end the owner of the change holds. If the owner is
// dead, it undoes the change at once by calling run. A live owner undoes its change itself, and a daemon that took over has its own
// watcher; so after patience and grace the watcher exits. After an orderly exit of the owner, it first waits for the next daemon.
func Watch(ctx context.Context, stdin io.Reader, journal string, run func(context.Context) error) error {
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, stdin)
	}()
	select {
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	poll := time.NewTicker(50 * time.Millisecond) // the system does not report the end of a process that is not our child
	defer poll.Stop()
	late := time.NewTimer(patience + grace)
	defer late.Stop()
	for !Pending(journal) {
		if _, err := os.Lstat(journal); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-poll.C:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return run(ctx)
}

// WatcherCommand is the argument that makes our program a watcher; the path of the journal follows it.
const WatcherCommand = "proxy-watcher"

// StartWatcher starts a watcher, in its own session, for the journal of a change of this process. The watcher acts when the tether is
// closed or this process dies: close the tether after Undo. env is added to our environment; the watcher logs errors next to the journal.
func StartWatcher(binary, journal string, env []string) (tether io.Closer, err error) {
	tether, _, err = host.StartTethered(binary, []string{WatcherCommand, journal}, env, filepath.Join(filepath.Dir(journal), "watcher.log"))
	return tether, err
}
