package processes

import (
	"io"
	"os/exec"
	"syscall"
	"testing"
)

// TestStoppedFollowsSIGSTOPAndSIGCONT stops a process as a person and as a shell do, and lets it go on.
func TestStoppedFollowsSIGSTOPAndSIGCONT(t *testing.T) {
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	t.Cleanup(func() {
		_ = syscall.Kill(pid, syscall.SIGCONT)
		in.Close()
		_ = c.Wait()
	})
	if Stopped(pid) {
		t.Error("it runs")
	}
	signal := func(s syscall.Signal, want bool) {
		t.Helper()
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
		for Stopped(pid) != want && t.Context().Err() == nil { // a signal arrives when its process is scheduled
		}
	}
	signal(syscall.SIGSTOP, true)
	if !Alive(pid, "") {
		t.Error("a stopped process is taken for dead")
	}
	signal(syscall.SIGCONT, false)
	if Stopped(0) || Stopped(-1) || Stopped(1<<30) {
		t.Error("nobody is stopped")
	}
}
