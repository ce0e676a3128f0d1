package processes

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tracing reads /proc/<pid>/status. Its Uid line has the real, the effective, the saved and the file system's user.
func tracing(pid int) (d Debuggable, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return d, fmt.Errorf("process %d: %w", pid, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		values := strings.Fields(rest)
		switch {
		case name == "Uid" && len(values) > 1:
			d.User, err = strconv.Atoi(values[1])
		case name == "TracerPid" && len(values) > 0:
			d.Tracer, err = strconv.Atoi(values[0])
			d.Traced = d.Tracer != 0
		}
		if err != nil {
			return d, fmt.Errorf("process %d: %w", pid, err)
		}
	}
	return d, nil
}

// PtraceScope is Yama's restriction on debugging other processes of the same user: 0 allows all, 1 only own children, 2 only with
// CAP_SYS_PTRACE, 3 none. Without Yama it is 0.
func PtraceScope() int {
	raw, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err != nil {
		return 0
	}
	scope, _ := strconv.Atoi(strings.TrimSpace(string(raw))) // the kernel's own number
	return scope
}
