// Package processes describes processes of this computer: whether one is alive, its parent, its program, and whether it can be debugged. A
// pid and a start time together identify a process, so that a later process with the same pid is never taken for it. Programs lists
// processes; Known and Inspect describe one; End, Suspend and Resume send signals. The package does not start processes: machine/host does.
package processes

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// StartTime returns the start time of a process as an opaque text of the kernel that, together with the pid, identifies one process for
// ever. For an unknown process the error is fs.ErrNotExist.
func StartTime(pid int) (string, error) {
	start, _, err := procInfo(pid)
	return start, err
}

// Stopped reports whether a signal or a debugger has stopped a process, so that it does not answer. It is false if the system does not say.
func Stopped(pid int) bool {
	stopped, err := stands(pid)
	return err == nil && stopped
}

// Alive reports whether the process with this pid and start time is alive; an empty start compares only the pid. A zombie is dead. If the
// system refuses to say (EPERM, a sandbox), the answer is yes: taking a live process for dead does harm, the opposite only costs time.
func Alive(pid int, start string) bool {
	if pid <= 0 {
		return false
	}
	sent := unix.Kill(pid, 0)
	if errors.Is(sent, unix.ESRCH) {
		return false
	}
	now, zombie, err := procInfo(pid)
	if err != nil {
		gone := sent == nil && errors.Is(err, fs.ErrNotExist)
		return !gone
	}
	return !zombie && (start == "" || now == start)
}
