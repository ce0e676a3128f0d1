package processes

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

func allPIDs() ([]int, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	pids := make([]int, len(all))
	for i := range all {
		pids[i] = int(all[i].Proc.P_pid)
	}
	return pids, nil
}

// programInfo reads kern.procargs2: the number of arguments in 4 bytes, then the path of the program. The system shows it only for
// processes of our own user.
func programInfo(pid int) (path string, parent int, err error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", 0, err
	}
	if len(raw) < 5 {
		return "", 0, errors.New("unexpected answer of kern.procargs2")
	}
	if parent, err = parentOf(pid); err != nil {
		return "", 0, err
	}
	program, _, _ := bytes.Cut(raw[4:], []byte{0})
	return string(program), parent, nil
}

// parentOf works for every user's processes.
func parentOf(pid int) (int, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return int(k.Eproc.Ppid), nil
}
