package resident

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Listener is the resident's side: a net.Listener on its socket, and the lock.
//
// Close gives up both. An http.Server closes its listener when its shutdown begins; a server that wants to stay the only
// one until its last request is answered serves on the embedded Listener, and closes this one at the very end.
type Listener struct {
	net.Listener
	Info Info // as published

	socket  *socket
	lock    *os.File // used by the goroutine watch while it runs
	stop    chan struct{}
	watched chan struct{} // closed when watch has ended
	close   sync.Once
	err     error
}

// Listen makes this process the resident of a place. It returns ErrHeld at once if another process is the resident.
func Listen(p Place, i Info) (*Listener, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	lock, err := p.acquire()
	if err != nil {
		return nil, err
	}
	l := &Listener{Info: i.mine(), lock: lock, stop: make(chan struct{}), watched: make(chan struct{})}
	if err := l.open(p); err != nil {
		l.yield()
		return nil, err
	}
	go l.watch(p)
	return l, nil
}

// open listens and publishes the socket. It publishes the pid first, so that Stop can end a process that hangs here.
func (l *Listener) open(p Place) error {
	path, err := p.SocketPath()
	if err != nil {
		return err
	}
	if answers(path) {
		return ErrHeld
	}
	if err := publish(l.lock, l.Info); err != nil {
		return err
	}
	if err := removeStale(path); err != nil {
		return err
	}
	raw, file, err := listen(path)
	if err != nil {
		return err
	}
	l.socket = &socket{raw: raw, file: file}
	l.Listener, l.Info.Socket = l.socket, path
	if err := publish(l.lock, l.Info); err != nil {
		return errors.Join(err, l.Listener.Close())
	}
	return nil
}

// removeStale removes the socket of a dead resident. Only the holder of the lock may call it: the socket of a live resident is never stale.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stale socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is in the way and no socket", filepath.Clean(path))
	}
	return os.Remove(path)
}

// Close removes the socket, then clears and releases the lock. A successor touches the socket only with the lock, so in this order it never
// loses its own socket.
func (l *Listener) Close() error {
	l.close.Do(func() {
		close(l.stop)
		<-l.watched
		l.err = l.Listener.Close() // removes the socket
		if errors.Is(l.err, net.ErrClosed) {
			l.err = nil // a server closed it already
		}
		l.yield()
	})
	return l.err
}

func (l *Listener) yield() {
	_ = l.lock.Truncate(0)
	release(l.lock)
}
