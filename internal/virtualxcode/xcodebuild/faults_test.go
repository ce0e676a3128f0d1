package xcodebuild

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/tool"
)

// planned are faults that happen once.
type planned map[string]map[string]string

func (p planned) TakeFaults(_ context.Context, _ string, names ...string) (map[string]map[string]string, error) {
	taken := map[string]map[string]string{}
	for _, n := range names {
		if set := p[n]; set != nil {
			taken[n] = set
			delete(p, n)
		}
	}
	return taken, nil
}

func TestBuildFailsOnceWhenArmed(t *testing.T) {
	for kind, says := range map[string]string{
		"compile": ":1:1: error: cannot find 'undefined' in scope", "signing": `error: Signing for "Tally" requires a development team.`,
	} {
		b := newBench(t, project.SampleApp)
		argv := []string{"-scheme", "Tally", "-derivedDataPath", "DD", "-destination", dest, "build"}
		b.faults = planned{flaw.BuildFails: {"kind": kind}}
		b.must(exitFailed, argv...)
		if !strings.Contains(b.out.String(), says) || !strings.Contains(b.err.String(), "** BUILD FAILED **") {
			t.Errorf("%s:\n%s\n%s", kind, b.out.String(), b.err.String())
		}
		b.must(0, argv...)
	}
}

// start starts the agent's scheme with a fault; it ends with ctx.
func start(ctx context.Context, t *testing.T, port string, faults planned) (exit int, out, errout string) {
	t.Helper()
	var o, e strings.Builder
	args := []string{"test-without-building", "-scheme", "Agent", "-destination", "id=X"}
	call := tool.Call{Args: args, Env: map[string]string{"PORT": port}, Stdout: &o, Stderr: &e}
	exit = Tool{Call: call, Faults: faults, Scheme: Scheme{Name: "Agent", Port: "PORT", Token: "TOKEN"}}.Run(ctx)
	return exit, o.String(), e.String()
}

func TestAgentStartFaultsFailRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	none := map[string]string{}
	if exit, _, errout := start(t.Context(), t, port, planned{flaw.AgentExitsEarly: none}); exit != exitFailed ||
		!strings.Contains(errout, "Early unexpected exit") || !strings.Contains(errout, "** TEST EXECUTE FAILED **") {
		t.Errorf("one that exits early: %d\n%s", exit, errout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if exit, out, _ := start(ctx, t, port, planned{flaw.AgentNeverReady: none}); exit == 0 || strings.Contains(out, "started") {
		t.Errorf("one that is never ready: %d\n%s", exit, out)
	}
	exit, out, errout := start(t.Context(), t, port, planned{flaw.AgentFloodsOutput: {"kilobytes": "3"}, flaw.AgentExitsEarly: none})
	if exit != exitFailed || len(out) != 3*1024 || len(errout) < 3*1024 {
		t.Errorf("one that floods: %d, %d and %d bytes", exit, len(out), len(errout))
	}
}

// writes counts the writes that reach the reader of a pipe.
type writes struct{ sizes []int }

func (w *writes) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return len(p), nil
}

func TestOutputInPipeIsHeldBackUnlessUnbuffered(t *testing.T) {
	for variable, want := range map[string][]int{"": {8 << 10, 8 << 10, 4 << 10}, "YES": slices.Repeat([]int{1 << 10}, 20)} {
		var out writes
		call := tool.Call{
			Args:   []string{"test-without-building", "-scheme", "Agent", "-destination", "id=X"},
			Env:    map[string]string{"PORT": "0", "NSUnbufferedIO": variable},
			Stdout: &out, Stderr: io.Discard,
		}
		faults := planned{flaw.BuffersOutput: {}, flaw.AgentFloodsOutput: {"kilobytes": "20"}, flaw.AgentExitsEarly: {}}
		Tool{Call: call, Faults: faults, Scheme: Scheme{Name: "Agent", Port: "PORT", Token: "TOKEN"}}.Run(t.Context())
		if !slices.Equal(out.sizes, want) {
			t.Errorf("NSUnbufferedIO=%s: writes of %v bytes, want %v", variable, out.sizes, want)
		}
	}
}

func TestOccupyTakesPortAndStaysSilent(t *testing.T) {
	leave, err := occupy("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	leave, err = occupy(address)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := net.Listen("tcp", address); err == nil {
		t.Error("the port is free")
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("the stranger said %d bytes", n)
	}
}
