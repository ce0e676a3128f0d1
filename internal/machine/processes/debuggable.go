package processes

import (
	"cmp"
	"fmt"
	"io/fs"
)

// Debuggable has the facts that decide whether a process can be debugged.
type Debuggable struct {
	Path   string // path of its program; empty if the system does not say
	User   int    // id of the user whose rights it has
	Traced bool   // a debugger is attached to it
	Tracer int    // the debugger's process; 0 if the system does not say
}

// Inspect returns the facts that may prevent debugging a process. For an unknown process the error is fs.ErrNotExist.
func Inspect(pid int) (Debuggable, error) {
	if _, zombie, err := procInfo(pid); err != nil || zombie {
		return Debuggable{}, cmp.Or(err, fmt.Errorf("process %d: %w", pid, fs.ErrNotExist))
	}
	d, err := tracing(pid)
	d.Path, _, _ = programInfo(pid) // only of the user's own processes
	return d, err
}
