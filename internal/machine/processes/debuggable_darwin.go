package processes

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const flagTraced = 0x800 // P_TRACED of <sys/proc.h>

func tracing(pid int) (Debuggable, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Debuggable{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Debuggable{User: int(k.Eproc.Ucred.Uid), Traced: k.Proc.P_flag&flagTraced != 0}, nil
}

// PtraceScope is 0: macOS has no Yama.
func PtraceScope() int { return 0 }
