package host

import (
	"cmp"
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is the time that a killed process gets to disappear; a process that hangs in the kernel never does.
const killWait = 5 * time.Second

// Stop ends the whole group: SIGINT, or SIGTERM with Cmd.ByTerm, then SIGKILL after the grace or, sooner, when ctx is done. It waits until
// the program is gone and then returns nil, also when the program had ended before; Result says how it ended. With Cmd.EndByStdin it closes
// the program's input instead, and waits for the whole grace even if ctx is done.
func (p *Process) Stop(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	return p.stop(ctx, "")
}

func (p *Process) stop(ctx context.Context, why string) error {
	p.halt.Do(func() { go p.terminate(why) })
	if p.spec.EndByStdin {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-p.halted:
	case <-ctx.Done():
		p.signal(unix.SIGKILL, why)
	}
	return p.waitKilled()
}

// waitKilled waits for the end of a program that got SIGKILL or has already exited.
func (p *Process) waitKilled() error {
	late := time.NewTimer(killWait)
	defer late.Stop()
	select {
	case <-p.done:
		return nil
	case <-late.C:
		return &StuckError{Name: p.spec.Name, PID: p.PID, Spool: p.Spool}
	}
}

// terminate asks the group to exit, waits for the grace, and kills the rest: a program that obeys at once may have children that do not.
func (p *Process) terminate(why string) {
	defer close(p.halted)
	patience := defaultGrace
	if p.spec.EndByStdin {
		patience = stdinGrace
		p.stdin.close()
	} else if p.spec.ByTerm {
		p.signal(unix.SIGTERM, why)
	} else {
		p.signal(unix.SIGINT, why)
	}
	if p.spec.Halted {
		p.spawned.signal(unix.SIGCONT) // a stopped process handles no signal except SIGKILL
	}
	grace := time.NewTimer(cmp.Or(max(p.spec.Grace, 0), patience))
	defer grace.Stop()
	select {
	case <-p.exited:
		if p.spec.EndByStdin {
			return // the program must end its own children
		}
		p.waitGroup(grace.C)
	case <-grace.C:
	}
	p.signal(unix.SIGKILL, why)
}

// waitGroup polls, because the system does not report the end of a grandchild.
func (p *Process) waitGroup(late <-chan time.Time) {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for p.lives() {
		select {
		case <-poll.C:
		case <-late:
			return
		}
	}
}
