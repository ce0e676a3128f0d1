package host_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/host"
)

// TestHaltedProgramRunsOnlyAfterSIGCONT: it stands as the program that it is, prints nothing until it is let go, and then runs to its end.
func TestHaltedProgramRunsOnlyAfterSIGCONT(t *testing.T) {
	h, _ := newHost(t)
	p, err := h.Start(t.Context(), host.Cmd{Name: "echo", Args: []string{"ran"}, Halted: true})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Alive() || len(p.Tail(host.Stdout)) > 0 {
		t.Fatalf("got %q, want it to stand", p.Tail(host.Stdout))
	}
	if err := unix.Kill(p.PID, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Result(); err != nil || string(got.Stdout) != "ran\n" {
		t.Errorf("got %q, %v", got.Stdout, err)
	}
}

// TestHaltedProgramIsEnded: one that nobody lets go ends with the rest.
func TestHaltedProgramIsEnded(t *testing.T) {
	h, _ := newHost(t)
	p, err := h.Start(t.Context(), host.Cmd{Name: "sleep", Args: []string{"600"}, Halted: true, Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Result(); got.Signal != "SIGINT" {
		t.Errorf("got %+v, want it to have heard the signal", got)
	}
	if _, err := h.Start(t.Context(), host.Cmd{Name: "/nowhere/at/all", Halted: true}); err == nil {
		t.Error("what is not there was started")
	}
}
