package simctl_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// buffer is written to by one goroutine and read by another.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// background starts a command that runs until it is interrupted, which end does; end returns its exit status.
func (s *rig) background(args ...string) (out, errout *buffer, end func() int) {
	ctx, cancel := context.WithCancel(s.t.Context())
	out, errout = &buffer{}, &buffer{}
	done := make(chan int, 1)
	call := tool.Call{Args: args, Dir: s.dir, Env: s.env, Stdout: out, Stderr: errout}.Complete()
	go func() { done <- simctl.Run(ctx, s.world, call) }()
	synctest.Wait()
	return out, errout, func() int { cancel(); return <-done }
}

func (s *rig) log(e world.Entry) {
	s.t.Helper()
	if err := s.world.Log(s.udid(), e); err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
}

func TestLogStreamPrintsMatchingEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := on(t)
		out, _, end := s.background("spawn", "booted", "log", "stream", "--style", "compact", "--level=debug", "--predicate",
			`subsystem == "com.iosagent.shop"`)
		s.log(world.Entry{Process: "Shop", PID: 7, Subsystem: shop, Category: "net", Message: "one"})
		s.log(world.Entry{Process: "Shop", PID: 7, Subsystem: "com.apple.UIKit", Message: "two"})
		s.log(world.Entry{Process: "Shop", PID: 7, Subsystem: shop, Level: world.LevelDebug, Message: "three"})
		if exit := end(); exit != 0 {
			t.Errorf("exit %d", exit)
		}
		want := "Filtering the log data using \"subsystem == \"com.iosagent.shop\"\"\nTimestamp               Ty Process[PID:TID]\n" +
			"2025-06-09 09:41:01.500 Df Shop[7:18b0007] [com.iosagent.shop:net] one\n2025-06-09 09:41:01.500 Db Shop[7:18b0007] " +
			"[com.iosagent.shop:] three\n"
		if out.String() != want {
			t.Errorf("printed\n%s\nwant\n%s", out, want)
		}
		out, _, end = s.background("spawn", "booted", "log", "stream", "--style", "json")
		s.log(world.Entry{Process: "Shop", Message: "a \"}{\""})
		s.log(world.Entry{Process: "Shop", Message: "b"})
		s.ok("shutdown", "booted") // ends the stream too
		end()
		var all []map[string]any
		if err := json.Unmarshal([]byte(out.String()), &all); err != nil || len(all) < 2 || all[1]["eventMessage"] != "b" {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// slow takes the first line and then nothing until it is let go on.
type slow struct {
	buffer
	full, goOn chan struct{}
}

func (s *slow) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("the first")) {
		close(s.full)
		<-s.goOn
	}
	return s.buffer.Write(p)
}

// TestLogStreamSaysThatItDroppedMessages: where more is logged than a device keeps before somebody reads it, once for each such gap, and
// not with --ignore-dropped.
func TestLogStreamSaysThatItDroppedMessages(t *testing.T) {
	for _, style := range []string{"compact", "ndjson"} {
		for _, how := range [][]string{nil, {"--ignore-dropped"}} {
			synctest.Test(t, func(t *testing.T) {
				s := on(t)
				ctx, cancel := context.WithCancel(t.Context())
				out, done := &slow{full: make(chan struct{}), goOn: make(chan struct{})}, make(chan int, 1)
				args := append([]string{"spawn", "booted", "log", "stream", "--style", style}, how...)
				go func() {
					done <- simctl.Run(ctx, s.world, tool.Call{Args: args, Dir: s.dir, Env: s.env, Stdout: out, Stderr: &buffer{}}.Complete())
				}()
				synctest.Wait()
				s.log(world.Entry{Process: "Shop", Message: "the first"})
				<-out.full
				for range 3000 {
					s.log(world.Entry{Process: "Shop", Message: "one of many"})
				}
				close(out.goOn)
				s.log(world.Entry{Process: "Shop", Message: "the last"})
				cancel()
				<-done
				want := 1 - len(how)
				if n := strings.Count(out.String(), "=== Messages dropped during live streaming (use `log show` to see what they were)\n"); n != want {
					t.Errorf("%s %v: got %d lines that say it, want %d", style, how, n, want)
				}
				if n := strings.Count(out.String(), "one of many"); n == 3000 || !strings.Contains(out.String(), "the last") {
					t.Errorf("%s %v: got %d of 3000 lines, want fewer, and the last", style, how, n)
				}
			})
		}
	}
}

func TestConsoleShowsWhatTheAppPrints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := on(t)
		out, errout, end := s.background("launch", "--console", "booted", shop)
		if err := s.world.Print(s.udid(), shop, "hello\n", false); err != nil {
			t.Fatal(err)
		}
		_ = s.world.Print(s.udid(), shop, "oops\n", true)
		synctest.Wait()
		if exit := end(); exit != 0 || !regexp.MustCompile(`^com\.iosagent\.shop: \d+\nhello\n$`).MatchString(out.String()) ||
			errout.String() != "oops\n" {
			t.Errorf("exit %d\n%s%s", exit, out, errout)
		}
		if _, _, exit := s.run("terminate", "booted", shop); exit != 3 {
			t.Error("an interrupt did not reach the app")
		}
		out, _, end = s.background("launch", "--console-pty", "--terminate-running-process", "booted", shop)
		_ = s.world.Print(s.udid(), shop, "oops\n", true)
		s.ok("terminate", "booted", shop)
		if exit := end(); exit != 0 || !strings.HasSuffix(out.String(), "oops\n") {
			t.Errorf("exit %d\n%s", exit, out)
		}
		s.ok("launch", "--stdout=out.txt", "--wait-for-debugger", "booted", shop)
		_ = s.world.Print(s.udid(), shop, "to a file\n", false)
		if data, err := os.ReadFile(filepath.Join(s.dir, "out.txt")); err != nil || string(data) != "to a file\n" {
			t.Errorf("the file has %q, %v", data, err)
		}
		if _, _, exit := s.run("launch", "--console", "--stdout=out.txt", "booted", shop); exit != 22 {
			t.Errorf("console and file: exit %d", exit)
		}
	})
}

func TestRecordVideoWritesMovieOnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := on(t)
		_, errout, end := s.background("io", "booted", "recordVideo", "--codec=h264", "a.mov")
		if errout.String() != "Recording started\n" {
			t.Fatalf("printed %q", errout)
		}
		if exit := end(); exit != 0 || errout.String() != "Recording started\nRecording completed. Writing to disk.\nWrote video "+
			"to: a.mov\n" {
			t.Errorf("exit %d\n%s", exit, errout)
		}
		data, err := os.ReadFile(filepath.Join(s.dir, "a.mov"))
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for rest := data; len(rest) >= 8; rest = rest[binary.BigEndian.Uint32(rest):] {
			kinds = append(kinds, string(rest[4:8]))
		}
		if strings.Join(kinds, " ") != "ftyp mdat moov" {
			t.Errorf("the film has %v", kinds)
		}
		if _, _, exit := s.run("io", "booted", "recordVideo", "a.mov"); exit != 17 {
			t.Errorf("over a file: exit %d", exit)
		}
	})
}

func TestGarbageAndHangFaultsAffectOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTool(t)
		plan := func(f flaw.Fault) {
			if err := s.world.AddFault(f); err != nil {
				t.Fatal(err)
			}
		}
		plan(flaw.Fault{Name: flaw.SimctlGarbage})
		if out := s.ok("list", "-j"); json.Valid([]byte(out)) {
			t.Errorf("printed\n%s", out)
		}
		plan(flaw.Fault{Name: flaw.SimctlHang, Device: s.udid()})
		s.ok("list", "-j")
		out, _, end := s.background("boot", s.udid())
		if exit := end(); exit == 0 || out.String() != "" || s.world.Devices()[0].State != world.Shutdown {
			t.Errorf("a hanging boot: exit %d, %s", exit, s.world.Devices()[0].State)
		}
		s.ok("boot", s.udid())
	})
}

func TestBootstatusContinuesAfterABoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTool(t)
		out, _, end := s.background("bootstatus", s.udid(), "-bc", "-d")
		s.ok("shutdown", s.udid())
		synctest.Wait()
		s.ok("boot", s.udid())
		synctest.Wait()
		if exit := end(); exit != 0 || strings.Count(out.String(), "Finished") != 2 {
			t.Errorf("exit %d\n%s", exit, out)
		}
		if _, _, exit := s.run("bootstatus", s.udid(), "-x"); exit != 22 {
			t.Errorf("exit %d", exit)
		}
	})
}
