package processes

import "golang.org/x/sys/unix"

// Suspend stops a process of another program until Resume, without ending it.
func Suspend(pid int) error { return unix.Kill(pid, unix.SIGSTOP) }

// Resume continues a process that Suspend stopped. A running process is unchanged.
func Resume(pid int) error { return unix.Kill(pid, unix.SIGCONT) }
