package processes

import "golang.org/x/sys/unix"

// Suspend stops a process that is not ours to end, until Resume.
func Suspend(pid int) error { return unix.Kill(pid, unix.SIGSTOP) }

// Resume has a process that Suspend stopped run on. One that runs does so anyway.
func Resume(pid int) error { return unix.Kill(pid, unix.SIGCONT) }
