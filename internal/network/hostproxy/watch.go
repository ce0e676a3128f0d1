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

// patience is how long an owner that lives may take to undo its change after it closed the pipe.
const patience = 2 * time.Second

// Watch is the watcher: it waits for the end of stdin, which is a pipe whose other end the owner of the change holds, and then undoes
// what is left: at once when the owner is dead. One that lives undoes its change itself, and one that took it over has a watcher of its
// own; after a while they are believed to. For one that left in good order the next is awaited first. run undoes.
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
	poll := time.NewTicker(50 * time.Millisecond) // nobody tells of the end of a process that is not our child
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

// WatcherCommand is the word that makes our program a watcher; the path of the journal follows it.
const WatcherCommand = "proxy-watcher"

// StartWatcher starts a watcher, in a session of its own, for the journal whose change this process owns. Closing the tether, or our
// death, is what it waits for: close it after Undo. env is added to ours; the watcher writes what goes wrong beside the journal.
func StartWatcher(binary, journal string, env []string) (tether io.Closer, err error) {
	tether, _, err = host.StartTethered(binary, []string{WatcherCommand, journal}, env, filepath.Join(filepath.Dir(journal), "watcher.log"))
	return tether, err
}
