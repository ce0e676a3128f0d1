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

// JournalOf is the journal of a home.
func JournalOf(home string) string { return filepath.Join(home, "proxy", "host-changes.json") }

// Change is what was changed on the Mac, as the journal has it: enough to undo it.
type Change struct {
	Service string                                   `json:"service"`
	Port    int                                      `json:"port"`
	Before  map[networksetup.Kind]networksetup.Proxy `json:"before"`
	Bypass  []string                                 `json:"bypass,omitempty"` // hosts that are reached without the proxy, then and now
	Made    time.Time                                `json:"made"`
	Booted  map[string]string                        `json:"booted,omitempty"` // see SetOptions
	Owner   Owner                                    `json:"owner"`
	// Undoing says that somebody began to undo it: a proxy that was off may be on for a moment, with its own server.
	Undoing bool `json:"undoing,omitempty"`
	// Left is when the owner left and meant the next daemon to take the change over; zero: it did not.
	Left time.Time `json:"left,omitzero"`
}

// Owner is the process that undoes the change when it is done. Others do when it is dead.
type Owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // as processes.StartTime tells it
}

func self() Owner {
	start, _ := processes.StartTime(os.Getpid()) // without it the pid alone counts
	return Owner{os.Getpid(), start}
}

func newChange(service string, port int, booted map[string]string) Change {
	return Change{Service: service, Port: port, Before: map[networksetup.Kind]networksetup.Proxy{}, Made: time.Now().UTC(), Booted: booted,
		Owner: self()}
}

// owned reports whether the owner lives.
func (c Change) owned() bool { return processes.Alive(c.Owner.PID, c.Owner.Start) }

// grace is how long a change waits for the next daemon after its owner left in good order.
const grace = 3 * time.Second

// awaits reports whether the next daemon may still come. A clock that was changed meanwhile ends it.
func (c Change) awaits() bool {
	since := time.Since(c.Left)
	return !c.Left.IsZero() && since >= 0 && since < grace
}

// leave notes that the owner, who is this process, leaves and means the next daemon to take over.
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

// Upstream is the proxy that was set before, through which the world is to be reached: host and port; empty if there was none.
func (c Change) Upstream(k networksetup.Kind) string {
	p := c.Before[k]
	if !p.On || p.Server == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.Server, p.Port)
}

// Chain is the URL of the proxy that was set before, to which our requests go on; empty: there was none. There is one way for all
// requests: that of https, where both were set. mixed says that those of http and https had different ways.
func (c Change) Chain() (url string, mixed bool) {
	web, secure := c.Upstream(networksetup.Web), c.Upstream(networksetup.Secure)
	if url = cmp.Or(secure, web); url != "" {
		url = "http://" + url
	}
	return url, web != secure
}

// Reaches reports whether the apps of a simulator that is booted send their requests through our proxy: it must have booted after the
// change. bootedAt is the time of its boot as simctl tells it; it is only compared with the one of then, so that no clock matters.
func (c Change) Reaches(udid, bootedAt string) bool {
	then, was := c.Booted[udid]
	return !was || then != bootedAt
}

// mostJournal bounds the file. It has a line for each simulator.
const mostJournal = 1 << 20

// tornError is a journal that cannot be read.
type tornError struct {
	path string
	err  error
}

func (e *tornError) Error() string { return fmt.Sprintf("%s cannot be read: %v", e.path, e.err) }
func (e *tornError) Unwrap() error { return e.err }

// Current is the change that is made now. An error that is fs.ErrNotExist means that there is none.
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
		return Change{}, &tornError{journal, errors.New("it names no service and no port")}
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

// Adopt makes this process the owner of the change that a daemon before it made.
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

// Pending reports whether there is a change whose owner is dead, and no other is awaited, to be undone by whoever comes next. It costs
// one look at a file that is not there, nearly always.
func Pending(journal string) bool {
	if _, err := os.Lstat(journal); err != nil {
		return false
	}
	c, err := read(journal)
	return !errors.Is(err, fs.ErrNotExist) && !(err == nil && (c.owned() || c.awaits()))
}

// lock keeps two processes from changing or undoing at the same time. The lock ends with its process.
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
			return nil, fault.New(fault.PathError, "the lock of the journal of changes of this Mac: %w", err)
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}
