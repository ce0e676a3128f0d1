package processes

import (
	"cmp"
	"fmt"
	"io/fs"
)

// Debuggable is what the system tells of a process that somebody wants to debug.
type Debuggable struct {
	Path   string // of what it executes; empty where the system does not tell
	User   int    // whose rights it has
	Traced bool   // a debugger is attached to it
	Tracer int    // the debugger's process; 0 where the system does not tell
}

// Inspect tells what stands in the way of debugging a process. An error that is fs.ErrNotExist means that there is no such process.
func Inspect(pid int) (Debuggable, error) {
	if _, zombie, err := procInfo(pid); err != nil || zombie {
		return Debuggable{}, cmp.Or(err, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist))
	}
	d, err := tracing(pid)
	d.Path, _, _ = programInfo(pid) // told of our own user's processes only
	return d, err
}
