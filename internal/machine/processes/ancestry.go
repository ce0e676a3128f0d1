package processes

// Ancestor is a living process with its parent, enough to follow who started it.
type Ancestor struct {
	Program
	UID  int      // of its user
	Args []string // its command line, the program's name first; none if the system does not tell
}

// Known is a process as the system describes it: its parent, its program and its arguments. For an unknown process the error is
// fs.ErrNotExist. Path and Args of other users' processes may be empty.
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
