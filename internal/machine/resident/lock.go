package resident

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// acquire takes the lock for life, or answers ErrHeld.
//
// There are two files, because to ask whether a lock is held is to take it for a moment, and a resident that starts in
// that moment would be refused. So both lock the gate file first: the asking process shared, the starting process alone.
func (p Place) acquire() (*os.File, error) {
	gate, err := lockFile(p.path(".gate"), os.O_RDWR|os.O_CREATE, unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer release(gate)
	return lockFile(p.LockPath(), os.O_RDWR|os.O_CREATE, unix.LOCK_EX|unix.LOCK_NB)
}

// held reports whether a resident is alive. It needs no permission to write.
func (p Place) held() (bool, error) {
	gate, err := lockFile(p.path(".gate"), os.O_RDONLY, unix.LOCK_SH)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // no resident ever ran here
	}
	if err != nil {
		return false, err
	}
	defer release(gate)
	lock, err := lockFile(p.LockPath(), os.O_RDONLY, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if errors.Is(err, ErrHeld) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	release(lock)
	return false, nil
}

func lockFile(path string, flag, how int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if forbidden(err) {
		return nil, &SandboxedError{Path: path, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, ErrHeld
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// release unlocks before it closes, because a child that is being forked at this moment has a copy of the descriptor.
func release(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	f.Close()
}

func forbidden(err error) bool { return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) }
