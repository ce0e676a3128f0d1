// Package hostlock keeps two homes on one host from using one device. The daemon of a home locks a file per device through Locks, and
// writes the home and the end of the claim into the file, because a claim outlives the daemon that gave it. The package only handles files:
// the lease table decides which session may claim.
package hostlock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/device/lease"
)

// Options are the folder and the owner of the locks.
type Options struct {
	Dir  string // shared by all homes with the same devices
	Home string
	Now  func() time.Time // time.Now if nil
	// Passing reports whether a resource never returns after its end, as a process does: the lock's file is then removed with the lock.
	// Nil means that every resource stays.
	Passing func(resource string) bool
}

// Locks are the locks of one home. Locks is safe for concurrent use; calls for one device run one after the other.
type Locks struct {
	o Options

	mu   sync.Mutex // guards open; never held across I/O
	open map[string]*os.File
}

var _ lease.Guard = (*Locks)(nil)

// New makes the locks of a home without locking a device.
func New(o Options) *Locks {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Locks{o: o, open: map[string]*os.File{}}
}

// owner is the content of a lock file.
type owner struct {
	Home  string    `json:"home"`
	PID   int       `json:"pid"`
	At    time.Time `json:"at,omitzero"` // time of the write
	Until time.Time `json:"until"`
}

// over reports whether a claim has expired. A claim that ends further in the future than its lifetime was made before the clock went
// back. It counts as expired, because it would last as long as the clock went back.
func (o owner) over(now time.Time) bool {
	return !o.Until.After(now) || !o.At.IsZero() && o.At.Sub(now) > o.Until.Sub(o.At)
}

// Lock locks a device for this home, or extends its lock.
func (l *Locks) Lock(resource string, until time.Time) error {
	f := l.file(resource)
	if f == nil {
		var err error
		if f, err = l.take(resource); err != nil {
			return err
		}
		l.mu.Lock()
		l.open[resource] = f
		l.mu.Unlock()
	}
	return write(f, owner{l.o.Home, os.Getpid(), l.o.Now(), until})
}

func (l *Locks) file(resource string) *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[resource]
}

func (l *Locks) take(resource string) (*os.File, error) {
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock of %s: %w", resource, err)
	}
	path := l.path(resource)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", resource, err)
	}
	locked := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if locked == nil && l.passing(resource) && !same(f, path) { // the earlier owner removed the file, so this lock has no effect
		f.Close()
		return l.take(resource)
	}
	who := read(f)
	switch {
	case errors.Is(locked, unix.EWOULDBLOCK):
	case locked != nil:
		f.Close()
		return nil, fmt.Errorf("lock of %s: %w", resource, locked)
	case who.Home == "" || who.Home == l.o.Home || who.over(l.o.Now()):
		return f, nil
	default:
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // its daemon has ended, but its claim is valid
	}
	f.Close()
	return nil, &lease.ElsewhereError{Resource: resource, Home: who.Home, PID: who.PID, Until: who.Until}
}

func (l *Locks) path(resource string) string {
	return filepath.Join(l.o.Dir, filepath.Base(resource)+".lock")
}

func (l *Locks) passing(resource string) bool { return l.o.Passing != nil && l.o.Passing(resource) }

// same reports whether a path still leads to an open file.
func same(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(open, now)
}

// Unlock releases the lock of a device.
func (l *Locks) Unlock(resource string) {
	f := l.file(resource)
	if f == nil {
		return
	}
	l.mu.Lock()
	delete(l.open, resource)
	l.mu.Unlock()
	if l.passing(resource) {
		_ = os.Remove(l.path(resource)) // otherwise a small file remains
	}
	_ = f.Truncate(0) // otherwise the next home waits for the time in it
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	f.Close()
}

// Close closes the files and keeps their contents.
func (l *Locks) Close() error {
	l.mu.Lock()
	open := l.open
	l.open = map[string]*os.File{}
	l.mu.Unlock()
	for _, f := range open {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		f.Close()
	}
	return nil
}

// read is the content of a lock file; the zero owner if it cannot be read.
func read(f *os.File) (who owner) {
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil || json.Unmarshal(raw, &who) != nil {
		return owner{}
	}
	return who
}

// write replaces the content of the file. It pads the content and never truncates first, so that a reader never finds the file empty.
func write(f *os.File, who owner) error {
	raw, err := json.Marshal(who)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil {
		for int64(len(raw)) < info.Size() {
			raw = append(raw, ' ')
		}
	}
	if _, err := f.WriteAt(raw, 0); err != nil {
		return fmt.Errorf("lock file: %w", err)
	}
	return nil
}
