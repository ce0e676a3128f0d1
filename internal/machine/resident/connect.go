package resident

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/processes"
)

const (
	defaultWait = 10 * time.Second
	firstPause  = 5 * time.Millisecond
	lastPause   = 50 * time.Millisecond
)

// Dialer connects to the resident of a place and starts it if necessary. It is safe for concurrent use; any number of clients, in any
// number of processes, end up with the same resident.
type Dialer struct {
	Place Place
	// Start spawns the process, detached, with its output appended to Place.LogPath. Connect uses its pid to distinguish an early death
	// from a slow start; 0 means unknown. With a nil Start, Connect never starts a resident and returns ErrNotRunning.
	Start func(ctx context.Context) (pid int, err error)
	// Wait is the time limit for a resident to answer; zero means 10 s.
	Wait time.Duration

	dial func(ctx context.Context, path string) (net.Conn, error) // nil except in tests
}

// Connect returns a connection and the Info that the resident published. Its errors are *StartError, *NotReadyError, *SandboxedError,
// *private.UnsafeError, ErrNotRunning, the error of Start, or the context's.
func (d Dialer) Connect(ctx context.Context) (net.Conn, Info, error) {
	if d.Wait <= 0 {
		d.Wait = defaultWait
	}
	if d.dial == nil {
		d.dial = dialSocket
	}
	late := time.NewTimer(d.Wait)
	defer late.Stop()
	a := attempt{Dialer: d}
	defer a.letOthersStart()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		conn, info, err := a.try(ctx)
		if conn != nil || err != nil {
			return conn, info, err
		}
		select {
		case <-time.After(pause):
		case <-late.C:
			return nil, Info{}, a.notReady()
		case <-ctx.Done():
			return nil, Info{}, fmt.Errorf("connect to %s: %w", d.Place.Name, ctx.Err())
		}
	}
}

// attempt is the state of one Connect.
type attempt struct {
	Dialer
	path    string // dialled last
	dialErr error
	held    bool
	started bool
	child   int    // pid of the process that this attempt started
	born    string // its start time
	logSize int64  // size of the log before the start
	turn    *os.File
}

// try makes one attempt; without a connection and without an error, the caller tries again.
func (a *attempt) try(ctx context.Context) (net.Conn, Info, error) {
	dead := a.childDead() // asked first, so that the steps below see everything that the child left
	conn, info, err := a.reach(ctx)
	if conn != nil || err != nil {
		return conn, info, err
	}
	if a.held, err = a.Place.held(); err != nil {
		return nil, Info{}, err
	}
	switch {
	case a.held && forbidden(a.dialErr):
		err = a.sandboxed()
	case a.held:
		// Another process starts a resident, or the resident is busy or about to exit: wait.
	case !a.started:
		err = a.start(ctx)
	case dead && a.dialErr != nil: // otherwise another process listens and publishes that in a moment
		err = a.startError()
	}
	return nil, Info{}, err
}

// reach dials. It stores a failure to connect in dialErr and returns no error for it.
func (a *attempt) reach(ctx context.Context) (net.Conn, Info, error) {
	path, err := a.socket()
	if err != nil {
		return nil, Info{}, err
	}
	a.path = path
	var conn net.Conn
	if conn, a.dialErr = a.dial(ctx, path); a.dialErr != nil {
		return nil, Info{}, nil
	}
	info := a.Place.info()
	if !info.ready() { // it listens, and publishes in a moment
		conn.Close()
		return nil, Info{}, nil
	}
	return conn, info, nil
}

// socket returns the published path, because the resident's temporary folder may differ from this process's; without one, the expected
// path. It checks the folder of a published path, because after the death of the resident another user may own it.
func (a *attempt) socket() (string, error) {
	if path := a.Place.info().Socket; path != "" && private.Closed(filepath.Dir(path)) == nil {
		return path, nil
	}
	return a.Place.SocketPath()
}

// start spawns the resident when it is this client's turn: one of many simultaneous clients starts it and the others wait. The lock would
// be enough for any number of starters, but each would cost a process, and a late one could outlive a Stop.
func (a *attempt) start(ctx context.Context) error {
	if a.Start == nil {
		return fmt.Errorf("%s: %w", a.Place.Name, ErrNotRunning)
	}
	if err := a.Place.prepare(); err != nil { // the log needs the folder before the resident does
		return err
	}
	if mine, err := a.takeTurn(); err != nil || !mine {
		return err
	}
	a.logSize = fileSize(a.Place.LogPath())
	pid, err := a.Start(ctx)
	if err != nil {
		return fmt.Errorf("start %s: %w", a.Place.Name, err)
	}
	a.started, a.child = true, pid
	a.born, _ = processes.StartTime(pid) // an error means that the process has already ended; then Alive is false too
	return nil
}

// takeTurn reports whether it is this client's turn to start the resident. The client keeps its turn until it is connected or gives up; a
// client that is killed loses it.
func (a *attempt) takeTurn() (bool, error) {
	turn, err := lockFile(a.Place.path(".start"), os.O_RDWR|os.O_CREATE, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.turn = turn
	held, err := a.Place.held() // the client with the previous turn may have started it in the meantime
	if err != nil || held {
		a.letOthersStart()
		return false, err
	}
	return true, nil
}

func (a *attempt) letOthersStart() {
	if a.turn != nil {
		release(a.turn)
		a.turn = nil
	}
}

func (a *attempt) childDead() bool { return a.child > 0 && !processes.Alive(a.child, a.born) }

func (a *attempt) startError() error {
	log := a.Place.LogPath()
	return &StartError{Name: a.Place.Name, PID: a.child, Log: log, Tail: logTail(log, a.logSize)}
}

func (a *attempt) sandboxed() error { return &SandboxedError{Path: a.path, Err: a.dialErr} }

func (a *attempt) notReady() error {
	e := &NotReadyError{Name: a.Place.Name, PID: a.child, Held: a.held, Waited: a.Wait,
		Log: a.Place.LogPath(), Err: a.dialErr}
	if a.held {
		e.PID = a.Place.info().PID
	}
	return e
}

func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", path)
}
