package processes

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

func ownerOf(pid int) (parent, uid int, err error) {
	if parent, err = parentOf(pid); err != nil {
		return 0, 0, err
	}
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return 0, 0, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		uid = int(s.Uid)
	}
	return parent, uid, nil
}

// wordsOf returns the file that a process executes, according to the kernel, and its command line.
func wordsOf(pid int) (path string, args []string) {
	path, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // Linux hides another user's
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if text := strings.TrimSuffix(string(line), "\x00"); text != "" {
		args = strings.Split(text, "\x00")
	}
	return strings.TrimSuffix(path, " (deleted)"), args
}
