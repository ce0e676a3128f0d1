package hostproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// JournalOf is the path of the journal in a home folder.
func JournalOf(home string) string { return filepath.Join(home, "proxy", "host-changes.json") }

// Change is a change of the Mac's settings, as the journal records it: enough to undo it.
type Change struct {
	Service string                                   `json:"service"`
	Port    int                                      `json:"port"`
	Before  map[networksetup.Kind]networksetup.Proxy `json:"before"`
	Bypass  []string                                 `json:"bypass,omitempty"` // hosts reached without the proxy; the change keeps them
	Made    time.Time                                `json:"made"`
	Booted  map[string]string                        `json:"booted,omitempty"` // see SetOptions
	Owner   Owner                                    `json:"owner"`
	// Undoing says that an undo has begun: a proxy that was off may be on for a moment, with its own server.
	Undoing bool `json:"undoing,omitempty"`
	// Left is when the owner exited to let the next daemon take over the change; zero: it did not.
	Left time.Time `json:"left,omitzero"`
}

// Owner is the process that will undo the change. When it is dead, another process undoes it.
type Owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // see processes.StartTime
}

func self() Owner {
	start, _ := processes.StartTime(os.Getpid()) // without a start time only the pid is compared
	return Owner{os.Getpid(), start}
}

func newChange(service string, port int, booted map[string]string) Change {
	return Change{Service: service, Port: port, Before: map[networksetup.Kind]networksetup.Proxy{}, Made: time.Now().UTC(), Booted: booted,
		Owner: self()}
}

// owned reports whether the owner is alive.
func (c Change) owned() bool { return processes.Alive(c.Owner.PID, c.Owner.Start) }

// grace is how long a change waits for the next daemon after an orderly exit of its owner.
const grace = 3 * time.Second

// awaits reports whether the next daemon may still take over. A clock that was set back ends the wait.
func (c Change) awaits() bool {
	since := time.Since(c.Left)
	return !c.Left.IsZero() && since >= 0 && since < grace
}

// leave records that the owner, this process, exits and expects the next daemon to take over.
func leave(ctx context.Context, journal string) error {
	unlock, err := lock(ctx, journal)
	if err != nil {
		return err
	}
	defer unlock()
	c, err := read(journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Left = time.Now().UTC()
	return c.write(journal)
}

func dirOf(journal string) string { return filepath.Dir(journal) }

// Upstream is the address, host and port, of the proxy that was set before, or empty.
func (c Change) Upstream(k networksetup.Kind) string {
	p := c.Before[k]
	if !p.On || p.Server == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.Server, p.Port)
}

// Chain is the URL of the proxy that was set before, to which our proxy forwards requests, or empty. All requests use one
// upstream: the proxy for https if both were set. mixed says that the proxies for http and https were different.
func (c Change) Chain() (url string, mixed bool) {
	web, secure := c.Upstream(networksetup.Web), c.Upstream(networksetup.Secure)
	if url = cmp.Or(secure, web); url != "" {
		url = "http://" + url
	}
	return url, web != secure
}

// Reaches reports whether the apps of a booted simulator use our proxy: the simulator must have booted after the change. bootedAt is its
// boot time as simctl prints it; it is only compared with the recorded one, so clocks do not matter.
func (c Change) Reaches(udid, bootedAt string) bool {
	then, was := c.Booted[udid]
	return !was || then != bootedAt
}

// mostJournal bounds the file, in bytes. The journal has a line for each simulator.
const mostJournal = 1 << 20

// tornError is a journal that cannot be read.
type tornError struct {
	path string
	err  error
}

func (e *tornError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.path, e.err) }
func (e *tornError) Unwrap() error { return e.err }

// Current is the change in the journal. An error that is fs.ErrNotExist means that the settings are unchanged.
func Current(journal string) (Change, error) { return read(journal) }

func read(journal string) (c Change, err error) {
	raw, err := regularfile.Read(journal, mostJournal)
	if err != nil {
		return Change{}, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return Change{}, &tornError{journal, err}
	}
	if c.Service == "" || c.Port == 0 {
		return Change{}, &tornError{journal, errors.New("the service or the port is missing")}
	}
	return c, nil
}

func (c Change) write(journal string) error {
	raw, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = wholefile.Write(journal, append(raw, '\n'))
	}
	if err == nil {
		return nil
	}
	if disk, ok := fault.OfDisk(err); ok {
		return disk.Within("the journal of changes of this Mac")
	}
	return fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
}

// Adopt makes this process the owner of a change that an earlier daemon made.
func Adopt(ctx context.Context, journal string) (Change, error) {
	unlock, err := lock(ctx, journal)
	if err != nil {
		return Change{}, err
	}
	defer unlock()
	c, err := read(journal)
	if err != nil {
		return Change{}, err
	}
	c.Owner, c.Left = self(), time.Time{}
	return c, c.write(journal)
}

// Pending reports whether the journal has a change that the next process should undo: its owner is dead and no daemon is expected to take
// over. In the usual case it costs one failed lookup of a file.
func Pending(journal string) bool {
	if _, err := os.Lstat(journal); err != nil {
		return false
	}
	c, err := read(journal)
	return !errors.Is(err, fs.ErrNotExist) && !(err == nil && (c.owned() || c.awaits()))
}

// lock prevents two processes from changing or undoing at the same time. The lock ends with its process.
func lock(ctx context.Context, journal string) (unlock func(), err error) {
	if err := os.MkdirAll(dirOf(journal), 0o700); err != nil {
		return nil, fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	f, err := os.OpenFile(journal+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.New(fault.PathError, "the journal of changes of this Mac: %w", err)
	}
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, fault.New(fault.PathError, "cannot lock the journal of changes of this Mac: %w", err)
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}
