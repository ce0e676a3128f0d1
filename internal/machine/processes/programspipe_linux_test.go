package processes

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestProgramsDoesNotOpenPipes: the list of programs looks into the scripts that shells run. A process of anybody may have a pipe as its
// first argument; to open that would wait without end.
func TestProgramsDoesNotOpenPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader := exec.Command("cat", pipe, "-") // cat waits for a writer
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Process.Kill(); _ = reader.Wait() }()
	done := make(chan error, 1)
	go func() {
		_, err := Programs()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the programs are still being listed")
	}
}
