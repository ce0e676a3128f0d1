package debugger

import (
	"fmt"
	"path/filepath"

	"ios-agent/internal/machine/processes"
)

// mostChildrenTold is how many child processes are told.
const mostChildrenTold = 10

// Child is a process that the program forked. LLDB follows the parent: breakpoints do not stop a child.
type Child struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
}

// Text says so, and how it is debugged.
func (c Child) Text() string {
	return fmt.Sprintf("child process %d (%s) was forked and is not debugged: `ios-agent debug attach --pid %d`", c.PID, c.Program, c.PID)
}

// Children are the child processes that no debugger of ours is attached to; none where the system does not tell.
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
