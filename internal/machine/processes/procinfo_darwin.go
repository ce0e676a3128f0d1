package processes

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Process states SSTOP and SZOMB of <sys/proc.h>.
const (
	stateStopped = 4
	stateZombie  = 5
)

// procInfo asks the kernel by sysctl kern.proc.pid; the answer is wall-clock time with microseconds.
func procInfo(pid int) (start string, zombie bool, err error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) { // an empty answer is EIO
		return "", false, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist)
	}
	if err != nil {
		return "", false, fmt.Errorf("process %d: %w", pid, err)
	}
	t := k.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), k.Proc.P_stat == stateZombie, nil
}

// stands reports whether the process is stopped. It does not notice a debugger that holds only the threads.
func stands(pid int) (bool, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return false, err
	}
	return k.Proc.P_stat == stateStopped, nil
}
