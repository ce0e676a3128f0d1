package resident

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/processes"
)

// stopGrace is the time that a resident gets to exit after SIGTERM, and to disappear after SIGKILL.
const stopGrace = 5 * time.Second

// Status reports which resident is alive at a place. Only the lock decides: an alive resident with an empty Info.Socket is starting;
// without an alive resident the Info is zero, because another process may have a dead resident's pid by now.
func Status(p Place) (info Info, alive bool, err error) {
	if alive, err = p.held(); err != nil || !alive {
		return Info{}, false, err
	}
	return p.info(), true, nil
}

// Stop ends the resident of a place: SIGTERM, then SIGKILL after 5 s. It returns nil when the lock is free, also if it was free before, or
// if a successor has taken it.
func Stop(ctx context.Context, p Place) error { return stop(ctx, p, stopGrace) }

func stop(ctx context.Context, p Place, grace time.Duration) error {
	victim, alive, err := identified(ctx, p, grace)
	if err != nil || !alive {
		return err
	}
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		if err := victim.signal(p, sig); err != nil {
			return err
		}
		gone, err := poll(ctx, grace, func() (bool, error) {
			now, alive, err := Status(p)
			released := !alive || now.PID != 0 && !now.same(victim)
			return released && !processes.Alive(victim.PID, victim.Start), err // the lock is released a moment before the process ends
		})
		if gone || err != nil {
			return err
		}
	}
	return fmt.Errorf("stop %s: process %d holds the lock even after SIGKILL", p.Name, victim.PID)
}

// identified waits until the holder of the lock has published its identity, which is its first action.
func identified(ctx context.Context, p Place, wait time.Duration) (who Info, alive bool, err error) {
	known, err := poll(ctx, wait, func() (bool, error) {
		var err error
		who, alive, err = Status(p)
		return !alive || processes.Alive(who.PID, who.Start), err
	})
	if err == nil && !known {
		err = fmt.Errorf("stop %s: somebody holds %s without saying who", p.Name, p.LockPath())
	}
	return who, alive, err
}

// signal sends a signal to the process that published the pid, and to no later process with that pid.
func (i Info) signal(p Place, sig unix.Signal) error {
	if !processes.Alive(i.PID, i.Start) {
		return nil
	}
	err := unix.Kill(i.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if forbidden(err) {
		return &SandboxedError{Path: p.LockPath(), Err: fmt.Errorf("signal process %d: %w", i.PID, err)}
	}
	return err
}

// poll calls ask until it returns true or an error, or the time is over.
func poll(ctx context.Context, limit time.Duration, ask func() (bool, error)) (bool, error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		if yes, err := ask(); yes || err != nil {
			return yes, err
		}
		select {
		case <-time.After(pause):
		case <-late.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
