package processes

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestProgramsAreFoundAndEnded starts a script as a stranger would and finds it by its own path, not its interpreter's.
func TestProgramsAreFoundAndEnded(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a stranger")
	script := "#!/bin/sh\nmkfifo \"$0.pipe\" && exec 3<>\"$0.pipe\" && echo > \"$0.up\" && read -r _ <&3\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := exec.Command(path)
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Wait() })
	pid := stranger.Process.Pid
	start, err := StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	me := Program{PID: pid, Parent: os.Getpid(), Start: start, Path: path}
	for _, err := os.Stat(path + ".up"); err != nil; _, err = os.Stat(path + ".up") { // until it runs: between fork and exec it is us
		if !Alive(pid, start) {
			t.Fatal("it ended by itself")
		}
	}
	all, err := Programs()
	if err != nil || !slices.Contains(all, me) {
		t.Errorf("not found: %v", err)
	}
	late := Program{PID: pid, Start: start + "0", Path: path}
	if err := End(t.Context(), late); err != nil || !Alive(pid, start) {
		t.Errorf("a process of another start was ended: %v", err)
	}
	if err := End(t.Context(), me); err != nil || Alive(pid, start) {
		t.Errorf("not ended: %v", err)
	}
}

func TestEndRefusesOtherProcesses(t *testing.T) {
	for _, pid := range []int{0, 1, os.Getpid()} {
		if err := End(context.Background(), Program{PID: pid}); !errors.Is(err, ErrNotOurs) {
			t.Errorf("%d: %v", pid, err)
		}
	}
}

func TestLineListsParentProcesses(t *testing.T) {
	if line := Line(os.Getpid()); len(line) < 2 || line[0] != os.Getpid() || line[1] != os.Getppid() {
		t.Errorf("%v, and we are %d of %d", line, os.Getpid(), os.Getppid())
	}
	if line := Line(0); line != nil {
		t.Errorf("the line of nobody: %v", line)
	}
}
