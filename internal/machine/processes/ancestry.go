package processes

// Ancestor is a living process with its parent and its command line, so that callers can follow the chain of parents.
type Ancestor struct {
	Program
	UID  int      // id of its user
	Args []string // its command line, the program's name first; empty if the system does not say
}

// Known describes a process: its parent, its program and its arguments. For an unknown process the error is fs.ErrNotExist. Path and Args
// of other users' processes may be empty.
func Known(pid int) (Ancestor, error) {
	start, _, err := procInfo(pid)
	if err != nil {
		return Ancestor{}, err
	}
	a := Ancestor{Program: Program{PID: pid, Start: start}}
	if a.Parent, a.UID, err = ownerOf(pid); err != nil {
		return Ancestor{}, err
	}
	a.Path, a.Args = wordsOf(pid)
	return a, nil
}
