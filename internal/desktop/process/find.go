package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

// Stopped reports whether a process does nothing, because a signal or a debugger stopped it: it would answer nobody.
func Stopped(pid int) bool { return processes.Stopped(pid) }

// Started reports whether the session's process, or one of its descendants, started a process. A script or a first process often starts the
// program that shows windows.
func (s *Session) Started(pid int) bool { return slices.Contains(processes.Line(pid), s.PID) }

// Has reports whether a client session launched or attached to a process or one of its ancestors.
func (s *Sessions) Has(owner string, pid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		if one.ready && one.Owner == owner && one.Running() && (one.PID == pid || one.Started(pid)) {
			return true
		}
	}
	return false
}

// Named finds the process of the user that has a name, in any case.
func Named(name string) (int, error) {
	found, err := Called(name)
	if err != nil {
		return 0, err
	}
	return One("named "+fmt.Sprintf("%.80q", name), found)
}

// Called are the user's processes of a program name, in any case, without their descendants among them: a browser is many processes.
func Called(name string) (pids []int, err error) {
	programs, err := processes.Programs()
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "%w", err)
	}
	for _, p := range programs {
		if strings.EqualFold(filepath.Base(p.Path), name) && p.PID != os.Getpid() {
			if _, _, err := Own(p.PID); err == nil {
				pids = append(pids, p.PID)
			}
		}
	}
	return first(pids), nil
}

// first are the processes that none of the others started.
func first(pids []int) []int {
	slices.Sort(pids)
	pids = slices.Compact(pids)
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		return slices.ContainsFunc(processes.Line(pid), func(other int) bool { return other != pid && slices.Contains(pids, other) })
	})
}

// launch is the call that starts a program.
func launch() string { return hint.Do("desktop_debug_launch", "command", []string{"PROGRAM"}) }

// One chooses one of several processes: the only one, or the ancestor of all others.
func One(what string, pids []int) (int, error) {
	first := first(pids)
	switch len(first) {
	case 0:
		return 0, fault.New(fault.AppNotRunning, "none of your processes is %s", what).
			WithHint("%s lists the windows; %s starts a program", hint.Do("debug_windows"), launch())
	case 1:
		return first[0], nil
	}
	words := strings.Trim(fmt.Sprint(first), "[]")
	return 0, fault.New(fault.AppAmbiguous, "%d processes are %s: %s", len(first), what, strings.ReplaceAll(words, " ", ", ")).
		With("candidates", first).WithHint("name one by its process: %s", hint.Do("desktop_debug_attach", "pid", first[0]))
}
