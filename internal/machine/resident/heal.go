package resident

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// healEvery is the interval at which a resident checks that its files are still its own. A person who cleans up, a script or a backup may
// delete or overwrite them.
const healEvery = time.Second

// watch repairs the files until the listener is closed, or another process has taken the place.
func (l *Listener) watch(p Place) {
	defer close(l.watched)
	tick := time.NewTicker(healEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if errors.Is(l.heal(p), ErrHeld) {
				l.socket.abandon() // its server then ends
				return
			}
		case <-l.stop:
			return
		}
	}
}

// heal repairs the lock file, its published content and the socket. A failed repair is tried again later. ErrHeld means that another
// process has taken the place.
func (l *Listener) heal(p Place) error {
	if err := p.prepare(); err != nil {
		return err
	}
	if gate, err := os.OpenFile(p.path(".gate"), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		gate.Close() // clients open it to ask whether the resident is alive
	}
	if err := l.relock(p); err != nil {
		return err
	}
	published, err := os.ReadFile(p.LockPath())
	if want, _ := json.Marshal(l.Info); err != nil || !bytes.Equal(bytes.TrimSpace(published), want) {
		if err := publish(l.lock, l.Info); err != nil {
			return err
		}
	}
	return l.socket.restore(l.Info.Socket)
}

// relock takes the lock again when its file is gone, or another file has its path.
func (l *Listener) relock(p Place) error {
	ours, err := l.lock.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(p.LockPath()); err == nil && os.SameFile(ours, now) {
		return nil
	}
	lock, err := p.acquire()
	if err != nil {
		return err
	}
	release(l.lock)
	l.lock = lock
	return nil
}

// socket accepts connections on a socket file; when the file is lost, it creates a new one with the same name.
type socket struct {
	mu     sync.Mutex
	raw    *net.UnixListener
	file   os.FileInfo
	closed bool
}

// listen makes the socket file. Until the file has its mode, the mode of the folder keeps other users out.
func listen(path string) (*net.UnixListener, os.FileInfo, error) {
	raw, err := net.Listen("unix", path)
	if forbidden(err) {
		return nil, nil, &SandboxedError{Path: path, Err: err}
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Lstat(path)
	if err = errors.Join(err, os.Chmod(path, 0o600)); err != nil {
		return nil, nil, errors.Join(err, raw.Close())
	}
	return raw.(*net.UnixListener), file, nil
}

// restore listens again when the socket's file is gone or replaced. Open connections stay open.
func (s *socket) restore(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, err := os.Lstat(path); s.closed || err == nil && os.SameFile(now, s.file) {
		return nil
	}
	if err := removeStale(path); err != nil {
		return err
	}
	raw, file, err := listen(path)
	if err != nil {
		return err
	}
	old := s.raw
	s.raw, s.file = raw, file
	old.SetUnlinkOnClose(false) // the file of that name is the new socket now
	return old.Close()
}

// Accept waits for a connection.
func (s *socket) Accept() (net.Conn, error) {
	for {
		raw := s.current()
		conn, err := raw.Accept()
		if err == nil || raw == s.current() {
			return conn, err
		}
	}
}

func (s *socket) current() *net.UnixListener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw
}

// Addr is the address of the socket.
func (s *socket) Addr() net.Addr { return s.current().Addr() }

// Close removes the socket.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.raw.Close()
}

// abandon closes the socket but leaves its file, which belongs to another process by now.
func (s *socket) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.SetUnlinkOnClose(false)
	s.closed = true
	_ = s.raw.Close() // a waiting Accept returns with an error
}

// answers reports whether a process listens on a socket file. It may be a resident whose lock file was deleted, which will take the lock
// again.
func answers(path string) bool {
	conn, err := net.DialTimeout("unix", path, healEvery)
	if err != nil {
		return errors.Is(err, unix.EAGAIN) // the queue of waiting connections is full
	}
	conn.Close()
	return true
}
