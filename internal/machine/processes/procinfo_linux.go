package processes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// procInfo reads field 22 of /proc/<pid>/stat, the start in clock ticks since boot. The answer contains an id of the boot too, because the
// ticks begin again with each boot.
func procInfo(pid int) (start string, zombie bool, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, unix.ESRCH) {
		return "", false, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist) // it ended between open and read
	}
	if err != nil {
		return "", false, fmt.Errorf("process %d: %w", pid, err)
	}
	ticks, zombie, err := parseStat(b)
	if err != nil {
		return "", false, fmt.Errorf("process %d: %w", pid, err)
	}
	return ticks + bootMark(), zombie, nil
}

// parseStat reads the state (field 3) and the start time (field 22). The name (field 2) is in parentheses and may contain parentheses and
// spaces, so the fields are counted from the last closing parenthesis.
func parseStat(b []byte) (ticks string, zombie bool, err error) {
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return "", false, errors.New("unexpected content of /proc/pid/stat")
	}
	state := string(f[0])
	return string(f[19]), state == "Z" || state == "X", nil
}

func bootMark() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return "@" + string(bytes.TrimSpace(b))
}

// stands reports whether the process is stopped: state T after a signal, t under a debugger.
func stands(pid int) (bool, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false, err
	}
	return parseStands(b), nil
}

func parseStands(b []byte) bool {
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	return len(f) > 0 && (string(f[0]) == "T" || string(f[0]) == "t")
}
