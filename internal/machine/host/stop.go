package host

import (
	"cmp"
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is how long a killed process may take to disappear; a process that hangs in the kernel never does.
const killWait = 5 * time.Second

// Stop ends the whole group: SIGINT, or SIGTERM with Cmd.ByTerm, then SIGKILL after the grace or, sooner, when ctx is done. It waits
// until the program is gone and returns nil then, also when it was gone before; Result says how it ended. With Cmd.EndByStdin it ends
// the program's input instead, and gives it the whole grace whatever ctx says.
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

// waitKilled waits for the end of a program that has been sent SIGKILL or has left before.
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

// terminate asks the group to leave, gives it the grace, and kills what remains: a program that obeys at once may have
// children that do not.
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
		p.spawned.signal(unix.SIGCONT) // a stopped process gets no other signal but SIGKILL
	}
	grace := time.NewTimer(cmp.Or(max(p.spec.Grace, 0), patience))
	defer grace.Stop()
	select {
	case <-p.exited:
		if p.spec.EndByStdin {
			return // its children are for it to end
		}
		p.waitGroup(grace.C)
	case <-grace.C:
	}
	p.signal(unix.SIGKILL, why)
}

// waitGroup polls, because the system does not tell us when a grandchild ends.
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
