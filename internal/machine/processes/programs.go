package processes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Program is a living process of this machine, whoever started it.
type Program struct {
	PID    int
	Parent int    // who started it, if that still lives
	Start  string // as StartTime tells it
	Path   string // of what it executes; of a script, the script
}

// Programs lists the living processes whose path the system tells us: our user's, and more where it allows.
func Programs() ([]Program, error) {
	pids, err := allPIDs()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []Program
	for _, pid := range pids {
		start, zombie, err := procInfo(pid)
		path, parent, pathErr := programInfo(pid)
		if err == nil && pathErr == nil && !zombie && path != "" {
			all = append(all, Program{pid, parent, start, path})
		}
	}
	return all, nil
}

// Line is a process, who started it, who started that one, and so on. It goes through processes of other users: a terminal starts
// a shell through login, which is root's.
func Line(pid int) (line []int) {
	for pid > 1 && !slices.Contains(line, pid) {
		line = append(line, pid)
		parent, err := parentOf(pid)
		if err != nil {
			break
		}
		pid = parent
	}
	return line
}

// ErrNotOurs means that End does not end a process: this process, or the first one of the system.
var ErrNotOurs = errors.New("is not to be ended")

// End sends SIGTERM to a process that is not a child and waits until it has ended. The start time protects a later process with the same
// id. A process that does not end is an error, and keeps running.
func End(ctx context.Context, p Program) error {
	if p.PID <= 1 || p.PID == os.Getpid() {
		return fmt.Errorf("process %d: %w", p.PID, ErrNotOurs)
	}
	if !Alive(p.PID, p.Start) {
		return nil
	}
	if err := unix.Kill(p.PID, unix.SIGTERM); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("process %d: %w", p.PID, err)
	}
	poll := time.NewTicker(10 * time.Millisecond) // the system tells only parents when a process ends
	defer poll.Stop()
	for Alive(p.PID, p.Start) {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("process %d does not leave: %w", p.PID, ctx.Err())
		}
	}
	return nil
}
