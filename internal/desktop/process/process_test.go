package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// real are sessions of real programs.
func real(t *testing.T) *process.Sessions {
	t.Helper()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return process.New(process.Options{Start: h})
}

// inside are sessions of a program that waits to be ended.
func inside(t *testing.T) *process.Sessions {
	t.Helper()
	h, err := host.New(host.Options{Inside: func(name string) host.Main {
		if name != "waits" {
			return nil
		}
		return func(ctx context.Context, in host.Invocation) int { <-ctx.Done(); return 0 }
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	now := time.Date(2026, 2, 5, 14, 32, 0, 0, time.UTC)
	return process.New(process.Options{Start: h, Now: func() time.Time { return now }})
}

// sleeper is a process of ours that no session started.
func sleeper(t *testing.T, how ...func(*exec.Cmd)) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	for _, set := range how {
		set(cmd)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func launch(t *testing.T, s *process.Sessions, owner string, argv ...string) *process.Session {
	t.Helper()
	one, err := s.Launch(t.Context(), process.Launch{Owner: owner, Argv: argv, Env: []string{"GREETING=hallo"}})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func is(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(f.Message+"\n"+f.Hint, w) {
			t.Errorf("%s, %s: no %q", f.Message, f.Hint, w)
		}
	}
}

// until looks until something holds: nobody tells us when.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	poll, late := time.NewTicker(5*time.Millisecond), time.NewTimer(time.Minute)
	defer poll.Stop()
	defer late.Stop()
	for !holds() {
		select {
		case <-poll.C:
		case <-late.C:
			t.Fatal("it does not come")
		}
	}
}

// ended waits until a session's program has ended.
func ended(t *testing.T, one *process.Session) process.Status {
	t.Helper()
	until(t, func() bool { return !one.Running() })
	return one.Status()
}

// TestSessionIDsAreUniqueWithinOneMinute are the program, the day and the minute; the second of a minute has a number.
func TestSessionIDsAreUniqueWithinOneMinute(t *testing.T) {
	s := inside(t)
	a, b := launch(t, s, "a", "waits"), launch(t, s, "a", "waits")
	if a.ID != "waits-2026-02-05-14h32" || b.ID != "waits-2026-02-05-14h32-2" {
		t.Errorf("%s, %s", a.ID, b.ID)
	}
	if got := s.List("a"); len(got) != 2 || got[0].ID != a.ID || len(s.List("b")) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestEndedProgramIsReadableUntilStopped can be read until it is stopped: how it ended, and what it printed.
func TestEndedProgramIsReadableUntilStopped(t *testing.T) {
	s := real(t)
	one := launch(t, s, "a", "sh", "-c", `echo "$GREETING"; echo trouble >&2; exit 3`)
	st := ended(t, one)
	if st.Running || st.Exit == nil || *st.Exit != 3 || st.Stdout.Text != "hallo\n" || st.Stderr.Text != "trouble\n" || len(s.Holds()) != 0 {
		t.Errorf("%+v", st)
	}
	if again, err := s.Get("a", one.ID); err != nil || again != one {
		t.Errorf("%v", err)
	}
	if _, err := s.Stop(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	_, err := s.Get("a", one.ID)
	is(t, err, fault.SessionNotFound, one.ID, hint.Do("debug_session", "action", "list"))
}

// TestProgramOutputIsBounded: the end of it is kept, and how much was before it.
func TestProgramOutputIsBounded(t *testing.T) {
	st := ended(t, launch(t, real(t), "a", "sh", "-c", `head -c 100000 /dev/zero | tr '\0' x; printf '\377end'`))
	if len(st.Stdout.Text) > process.UsualPrinted+2 || st.Stdout.Lost != 100_004-process.UsualPrinted ||
		!strings.HasSuffix(st.Stdout.Text, "\uFFFDend") {
		t.Errorf("%d bytes, %d before them", len(st.Stdout.Text), st.Stdout.Lost)
	}
}

// TestStopKillsProgramThatIgnoresSIGTERM asks with SIGTERM, kills what does not leave, and what it started with it; the daemon is held by
// what runs.
func TestStopKillsProgramThatIgnoresSIGTERM(t *testing.T) {
	s := real(t)
	polite := launch(t, s, "a", "sh", "-c", `trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.01; done`)
	until(t, func() bool { return polite.Status().Stdout.Text != "" })
	if holds := s.Holds(); len(holds) != 1 || !regexp.MustCompile(`sh \(process \d+, session sh-.*\) was ended`).MatchString(holds[0]) {
		t.Errorf("%q", holds)
	}
	st, err := s.Stop(t.Context(), polite)
	if err != nil || st.Running || st.Exit == nil || *st.Exit != 4 || !strings.Contains(st.Stdout.Text, "bye") {
		t.Errorf("%+v %v", st, err)
	}
	stubborn := launch(t, s, "a", "sh", "-c", `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	until(t, func() bool { return stubborn.Status().Stdout.Text != "" })
	now, cancel := context.WithCancel(t.Context()) // who does not wait for the grace
	cancel()
	if st, err := s.Stop(now, stubborn); err != nil || st.Signal != "SIGKILL" || st.Exit != nil {
		t.Errorf("%+v %v", st, err)
	}
}

// TestGetRefusesSessionOfAnotherClient: only the client session that made it uses it.
func TestGetRefusesSessionOfAnotherClient(t *testing.T) {
	s := inside(t)
	one := launch(t, s, "a", "waits")
	_, err := s.Get("b", one.ID)
	is(t, err, fault.Forbidden, `"a"`, one.ID)
}

func TestLaunchRefusesTooManySessions(t *testing.T) {
	s := inside(t)
	for i := range 50 {
		launch(t, s, fmt.Sprint("client ", i/10), "waits")
	}
	_, err := s.Launch(t.Context(), process.Launch{Owner: "client 0", Argv: []string{"waits"}})
	is(t, err, fault.TooMany, "this session runs 10", hint.Do("debug_session", "action", "stop", "sessionId", "SESSION"))
	_, err = s.Launch(t.Context(), process.Launch{Owner: "another", Argv: []string{"waits"}})
	is(t, err, fault.TooMany, "all sessions together run 50")
	if _, err := s.Stop(t.Context(), must(t, s, "client 3", s.List("client 3")[0].ID)); err != nil {
		t.Fatal(err)
	}
	launch(t, s, "another", "waits")
}

// TestEndedSessionsMakeRoom: a session whose program has ended does not count: the oldest of them is forgotten for a new one.
func TestEndedSessionsMakeRoom(t *testing.T) {
	s := real(t)
	first := launch(t, s, "a", "true")
	ended(t, first)
	for range 9 {
		launch(t, s, "a", "sleep", "600")
	}
	launch(t, s, "a", "sleep", "600")
	_, err := s.Get("a", first.ID)
	is(t, err, fault.SessionNotFound)
	_, err = s.Launch(t.Context(), process.Launch{Owner: "a", Argv: []string{"sleep", "600"}})
	is(t, err, fault.TooMany, "this session runs 10")
}

func must(t *testing.T, s *process.Sessions, owner, id string) *process.Session {
	t.Helper()
	one, err := s.Get(owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestLaunchRefusesBadPrograms(t *testing.T) {
	s := inside(t)
	for words, l := range map[string]process.Launch{
		"command is empty":                  {},
		`"NOTHING" is not a variable`:       {Argv: []string{"waits"}, Env: []string{"NOTHING"}},
		"cannot find the program nosuchapp": {Argv: []string{"nosuchapp"}},
		"waits does not start":              {Argv: []string{"waits"}, Dir: "/nosuchfolder"},
	} {
		l.Owner = "a"
		_, err := s.Launch(t.Context(), l)
		if f := fault.From(err); f == nil || !strings.Contains(f.Message, words) || f.Hint == "" {
			t.Errorf("%s: %v", words, err)
		}
	}
	if left := s.List("a"); len(left) != 0 {
		t.Errorf("%+v", left)
	}
}

// TestStopLeavesAttachedProcessRunning: the process is let go, never ended; what is not there or not ours is refused.
func TestStopLeavesAttachedProcessRunning(t *testing.T) {
	s := real(t)
	pid := sleeper(t)
	one, err := s.Attach("a", pid)
	if err != nil || one.PID != pid || one.Program != "sleep" || !strings.HasPrefix(one.ID, "sleep-") || !one.Running() {
		t.Fatalf("%+v %v", one, err)
	}
	if len(s.Holds()) != 0 {
		t.Errorf("it holds the daemon: %q", s.Holds())
	}
	st, err := s.Stop(t.Context(), one)
	if err != nil || !st.Running || !processes.Alive(pid, "") {
		t.Errorf("%+v %v", st, err)
	}
	_, err = s.Attach("a", 1<<30)
	is(t, err, fault.AppNotRunning, "unknown process 1073741824")
	_, err = s.Attach("a", os.Getpid())
	is(t, err, fault.Forbidden, "this daemon")
}

func TestAttachRefusesProcessOfAnotherUser(t *testing.T) {
	pid := 1 // root's
	if os.Geteuid() == 0 {
		pid = sleeper(t, func(c *exec.Cmd) {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		})
	}
	_, err := real(t).Attach("a", pid)
	is(t, err, fault.Forbidden, fmt.Sprintf("process %d belongs to user", pid), "a process of your own")
}

// TestStoppedReportsSuspendedProcess is told apart from one that runs.
func TestStoppedReportsSuspendedProcess(t *testing.T) {
	pid := sleeper(t)
	if process.Stopped(pid) {
		t.Error("it runs")
	}
	if err := processes.Suspend(pid); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return process.Stopped(pid) }) // the signal takes a moment
}

// TestNamedFindsProcessByProgramName finds a program by its name; of several, the one that started the others.
func TestNamedFindsProcessByProgramName(t *testing.T) {
	name := fmt.Sprintf("t%dzq", os.Getpid())
	path := t.TempDir() + "/" + name
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(sleep)
	if err == nil {
		err = os.WriteFile(path, program, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = process.Named(name)
	is(t, err, fault.AppNotRunning, name)
	start := func() int {
		return sleeper(t, func(c *exec.Cmd) { c.Path = path })
	}
	first := start()
	if pid, err := process.Named(strings.ToUpper(name)); err != nil || pid != first {
		t.Fatalf("%d, not %d: %v", pid, first, err)
	}
	second := start()
	_, err = process.Named(name)
	is(t, err, fault.AppAmbiguous, fmt.Sprint(first), fmt.Sprint(second), hint.Do("desktop_debug_attach", "pid", first))
	if pid, err := process.One("", []int{first, os.Getpid()}); err != nil || pid != os.Getpid() {
		t.Errorf("%d: %v", pid, err)
	}
}

// TestStartedRecognizesChildProcess: a process that ours started is its own.
func TestStartedRecognizesChildProcess(t *testing.T) {
	s := real(t)
	one := launch(t, s, "a", "sh", "-c", `sleep 600 & echo $!; wait`)
	var child int
	until(t, func() bool {
		_, _ = fmt.Sscan(one.Status().Stdout.Text, &child)
		return child != 0
	})
	if !one.Started(child) || one.Started(os.Getpid()) {
		t.Errorf("of %d: %v", child, processes.Line(child))
	}
}
