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

// Program is a living process of this machine; any process may have started it.
type Program struct {
	PID    int
	Parent int    // its parent process
	Start  string // the text of StartTime
	Path   string // path of the program that it executes; of a script, the script
}

// Programs lists the living processes whose path the system shows us: the processes of our user, and more if the system allows.
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

// Line returns a process, its parent, the parent of that one, and so on. It includes processes of other users: a terminal starts a shell
// through login, which belongs to root.
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

// ErrNotOurs means that End refuses to end a process: this process, or the first process of the system.
var ErrNotOurs = errors.New("is not to be ended")

// End sends SIGTERM to a process that is not a child and waits until it has ended. It compares the start time, so that it never ends a
// later process with the same id. A process that does not end is an error, and keeps running.
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
	poll := time.NewTicker(10 * time.Millisecond) // only parents get a message when a process ends
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
