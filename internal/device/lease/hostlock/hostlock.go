// Package hostlock keeps two homes on one host from using one device. The daemon of a home holds the lock of a file, and
// writes into the file whose the device is and until when: a claim outlives the daemon that gave it.
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

// Options say where the locks lie and whose they are.
type Options struct {
	Dir  string // shared by all homes that see the same devices
	Home string
	Now  func() time.Time // time.Now if nil
	// Passing reports whether a resource is there once and never again, as a process is: its file goes with its lock. Nil: none is.
	Passing func(resource string) bool
}

// Locks are those of one home. It is safe for concurrent use; calls for one device come one after the other.
type Locks struct {
	o Options

	mu   sync.Mutex // of open; never held across I/O
	open map[string]*os.File
}

var _ lease.Guard = (*Locks)(nil)

// New makes the locks of a home; nothing is locked yet.
func New(o Options) *Locks {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Locks{o: o, open: map[string]*os.File{}}
}

// owner is what a lock file says.
type owner struct {
	Home  string    `json:"home"`
	PID   int       `json:"pid"`
	At    time.Time `json:"at,omitzero"` // when it was written
	Until time.Time `json:"until"`
}

// over reports whether the time of a claim has passed. A claim from further in the future than it lasts was made before the clock
// went back: it would last for as long as the clock went back, and counts no more.
func (o owner) over(now time.Time) bool {
	return !o.Until.After(now) || !o.At.IsZero() && o.At.Sub(now) > o.Until.Sub(o.At)
}

// Lock takes a device for this home, or extends the time it is taken for.
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
	if locked == nil && l.passing(resource) && !same(f, path) { // who had it removed the file: this lock keeps nobody out
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
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // its daemon is not there, but its claim is
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

// Unlock gives a device back.
func (l *Locks) Unlock(resource string) {
	f := l.file(resource)
	if f == nil {
		return
	}
	l.mu.Lock()
	delete(l.open, resource)
	l.mu.Unlock()
	if l.passing(resource) {
		_ = os.Remove(l.path(resource)) // at worst a small file stays
	}
	_ = f.Truncate(0) // at worst the next one reads a time that passes
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	f.Close()
}

// Close closes the files; what is written in them stays.
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

// read gives what a lock file says; the zero owner when it cannot be read.
func read(f *os.File) (who owner) {
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil || json.Unmarshal(raw, &who) != nil {
		return owner{}
	}
	return who
}

// write replaces what the file says. It is padded and never cut first, so that a reader never finds it empty.
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
