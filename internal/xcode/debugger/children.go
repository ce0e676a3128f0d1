package debugger

import (
	"fmt"
	"path/filepath"

	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

// mostChildrenTold is the maximum number of child processes in an answer.
const mostChildrenTold = 10

// Child is a process that the program forked. LLDB follows the parent: breakpoints do not stop a child.
type Child struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
}

// Text names the process, and the call that debugs it.
func (c Child) Text() string {
	return fmt.Sprintf("child process %d (%s) was forked without a debugger: %s", c.PID, c.Program, hint.Do("debug_attach", "pid", c.PID))
}

// Children are the child processes without a debugger of this service; the list is empty if the system does not show processes.
func (s *Service) Children(pid int) (all []Child) {
	programs, err := processes.Programs()
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range programs {
		if _, attached := s.all[p.PID]; p.Parent == pid && !attached && len(all) < mostChildrenTold {
			all = append(all, Child{p.PID, filepath.Base(p.Path)})
		}
	}
	return all
}
