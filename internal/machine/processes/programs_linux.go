package processes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ios-agent/internal/machine/regularfile"
)

func allPIDs() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func parentOf(pid int) (parent int, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	if f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(f) > 1 {
		parent, _ = strconv.Atoi(string(f[1])) // the kernel's own number
	}
	return parent, nil
}

// programInfo returns the program that a process executes, and the id of its parent. For a script the kernel shows the interpreter; the
// script is then the first argument, if its first line names that interpreter.
func programInfo(pid int) (path string, parent int, err error) {
	if parent, err = parentOf(pid); err != nil {
		return "", 0, err
	}
	path, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return "", 0, err
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return "", 0, err
	}
	if args := strings.Split(string(line), "\x00"); len(args) > 2 && filepath.IsAbs(args[1]) && interpreter(args[1]) == args[0] {
		return args[1], parent, nil
	}
	return strings.TrimSuffix(path, " (deleted)"), parent, nil
}

// interpreter returns the program in the first line of a script; empty for other files. It must not wait: the path is an argument of any
// user's process and may be a pipe.
func interpreter(path string) string {
	f, err := regularfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	rest, is := bytes.CutPrefix(head[:n], []byte("#!"))
	first, _, _ := bytes.Cut(rest, []byte("\n"))
	if fields := strings.Fields(string(first)); is && len(fields) > 0 {
		return fields[0]
	}
	return ""
}
