package host

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startHalted starts a program and leaves it stopped before its first instruction, as after SIGSTOP. The kernel stops a traced program
// right after exec; then the parent sends SIGSTOP and detaches. No code of the program has run, and a debugger can attach.
func startHalted(cmd *exec.Cmd) error {
	runtime.LockOSThread() // the kernel accepts ptrace calls only from the thread that traces
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	if err := stopsAtStart(pid); err != nil {
		return errors.Join(fmt.Errorf("it does not stop at its start: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	return nil
}

func stopsAtStart(pid int) error {
	if err := stopped(pid); err != nil {
		return err
	}
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil { // takes effect when the parent detaches
		return err
	}
	if err := unix.PtraceDetach(pid); err != nil {
		return err
	}
	return stopped(pid)
}

// stopped waits until a child stops.
func stopped(pid int) error {
	for {
		var status unix.WaitStatus
		switch _, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case !status.Stopped():
			return errors.New("it has ended")
		default:
			return nil
		}
	}
}
