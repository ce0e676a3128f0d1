package host

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is how long a killed process may take to disappear; one that hangs in the kernel never does.
const killWait = 5 * time.Second

// Stop ends the whole group: SIGINT, then SIGKILL after the grace or, sooner, when ctx is done. It waits until the
// program is gone and returns nil then, also when it was gone before; how it ended is Result's to tell.
func (p *Process) Stop(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	p.halt.Do(func() { go p.terminate() })
	select {
	case <-p.halted:
	case <-ctx.Done():
		p.kill()
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
		return &StuckError{Name: p.spec.Name, PID: p.PID}
	}
}

// terminate asks the group to leave, gives it the grace, and kills what remains: a program that obeys at once may have
// children that do not.
func (p *Process) terminate() {
	defer close(p.halted)
	_ = unix.Kill(-p.PID, unix.SIGINT)
	grace := time.NewTimer(orDefault(p.spec.Grace, defaultGrace))
	defer grace.Stop()
	select {
	case <-p.exited:
		p.waitGroup(grace.C)
	case <-grace.C:
	}
	p.kill()
}

// waitGroup polls, because nobody is told when a grandchild dies.
func (p *Process) waitGroup(late <-chan time.Time) {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for p.groupLives() {
		select {
		case <-poll.C:
		case <-late:
			return
		}
	}
}

// groupLives is false on any error: macOS answers EPERM for a group of zombies.
func (p *Process) groupLives() bool { return unix.Kill(-p.PID, 0) == nil }

// kill is safe after the leader is reaped: the kernel gives its id to nobody while the group has members, and a group
// without members is gone.
func (p *Process) kill() { _ = unix.Kill(-p.PID, unix.SIGKILL) }
