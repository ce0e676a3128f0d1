package processes

// Ancestor is what the kernel tells of a living process, enough to follow who started it.
type Ancestor struct {
	Program
	UID  int      // of its user
	Args []string // its command line, the program's name first; none if the system does not tell
}

// Known is what the system tells of a process: who started it, what it executes, with which words. An error that is fs.ErrNotExist
// means that there is no such process. Of processes of other users Path and Args may be empty.
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
