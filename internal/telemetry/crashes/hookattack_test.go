package crashes_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
)

// said are the messages of the log that have a text.
func (s *stand) said(text string) (out []telemetry.Entry) {
	s.t.Helper()
	s.must(s.store.Flush(s.t.Context()))
	page, err := s.store.Query(s.t.Context(), telemetry.Query{Search: text})
	s.must(err)
	return page.Entries
}

// foreign gives a file to another user.
func foreign(path string) error { return os.Lchown(path, 65534, 65534) }

// TestHookRefusesProgramThatOthersCanChange: whoever could write it, or put another one in its place, would run programs as the user.
// That is asked when it is set, and before each run.
func TestHookRefusesProgramThatOthersCanChange(t *testing.T) {
	for name, c := range map[string]struct {
		root  bool // it takes root to do it
		spoil func(dir, program string) error
	}{
		"written by everybody": {spoil: func(_, program string) error { return os.Chmod(program, 0o777) }},
		"in a folder of everybody": {spoil: func(dir, _ string) error {
			return os.Chmod(dir, 0o777)
		}},
		"a link in a folder of everybody": {spoil: func(dir, program string) error {
			open := filepath.Join(dir, "open")
			real := filepath.Join(dir, "real")
			return first(os.Mkdir(open, 0o700), os.Rename(program, real), os.Symlink(real, filepath.Join(open, "hop")),
				os.Symlink(filepath.Join("open", "hop"), program), os.Chmod(open, 0o777))
		}},
		"a link to a program of everybody": {spoil: func(dir, program string) error {
			other := filepath.Join(dir, "other")
			return first(os.Remove(program), os.WriteFile(other, []byte("#!/bin/sh\ntouch ran"), 0o700), os.Chmod(other, 0o777),
				os.Symlink(other, program))
		}},
		"of another user":             {true, func(_, program string) error { return foreign(program) }},
		"a link of another user":      {true, func(_, program string) error { return first(os.Remove(program), link("/bin/cat", program)) }},
		"in a folder of another user": {true, func(dir, _ string) error { return foreign(dir) }},
	} {
		t.Run(name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			s, home := hooked(t)
			dir := filepath.Join(home, "programs")
			s.must(os.Mkdir(dir, 0o700))
			program := s.script(dir, "touch ran")
			s.must(s.hook.Set([]string{program}))
			s.must(c.spoil(dir, program))
			s.write(s.reports, "a.ips", ips("1", "f()"), 0)
			s.found(crashes.Query{})
			s.hook.Wait()
			if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
				t.Error("the program was run, want it refused")
			}
			if got := s.said("the crash hook was not run"); len(got) != 1 || !strings.Contains(got[0].Message, home) {
				t.Errorf("the log: got %+v, want which file is not safe", got)
			}
			if err := s.hook.Set([]string{program}); !fault.Is(err, fault.PathError) {
				t.Errorf("setting it: got %v, want %s", err, fault.PathError)
			}
		})
	}
}

func link(to, path string) error { return first(os.Symlink(to, path), foreign(path)) }

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestHookThatOthersCanWriteIsNotRun: the note of the hook is believed only while it is the user's alone.
func TestHookThatOthersCanWriteIsNotRun(t *testing.T) {
	s, home := hooked(t)
	s.must(s.hook.Set([]string{s.script(home, "touch ran")}))
	s.must(os.Chmod(s.hook.File, 0o666))
	if argv, err := s.hook.Argv(); !fault.Is(err, fault.PathError) || len(argv) > 0 {
		t.Errorf("got %q, %v, want %s", argv, err, fault.PathError)
	}
	s.write(s.reports, "a.ips", ips("1", "f()"), 0)
	s.found(crashes.Query{})
	s.hook.Wait()
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("the program was run, want it refused")
	}
	s.must(s.hook.Remove())
}

// TestHookRunsAreLimitedInCrashFlood: the hook is run for each of many crashes, a few at a time; of a flood it is run for the first, and
// the log has how many it was not run for.
func TestHookRunsAreLimitedInCrashFlood(t *testing.T) {
	for flood, runs := range map[int]int{60: 60, 200: 100} {
		t.Run(fmt.Sprint(flood), func(t *testing.T) {
			s, home := hooked(t)
			gate := filepath.Join(home, "gate")
			s.must(syscall.Mkfifo(gate, 0o600))
			// Each waits until the flood is over, when the pipe has a writer, and says how many stood there with it.
			s.must(s.hook.Set([]string{s.script(home, `touch in.$$; ls | grep -c '^in' >> at-once; read x < gate; rm in.$$; echo >> runs`)}))
			for i := range flood {
				s.write(s.reports, fmt.Sprintf("%d.ips", i), ips(fmt.Sprint(i), "f()"), 0)
			}
			if got := len(s.found(crashes.Query{})); got != flood {
				t.Errorf("got %d reports, want %d", got, flood)
			}
			open, err := os.OpenFile(gate, os.O_RDWR, 0)
			s.must(err)
			_, err = open.WriteString(strings.Repeat("\n", flood))
			s.must(err)
			s.hook.Wait()
			s.must(open.Close())
			ran, err := os.ReadFile(filepath.Join(home, "runs"))
			s.must(err)
			if got := strings.Count(string(ran), "\n"); got < runs || got > runs+4 {
				t.Errorf("got %d runs, want %d and those that ran meanwhile", got, runs)
			}
			atOnce, err := os.ReadFile(filepath.Join(home, "at-once"))
			s.must(err)
			for _, n := range strings.Fields(string(atOnce)) {
				if len(n) > 1 || n > "4" {
					t.Errorf("got %s at once, want 4 at most", n)
				}
			}
			missed := 0
			for _, e := range s.said("the crash hook was not run for") {
				_, err := fmt.Sscanf(e.Message, "the crash hook was not run for %d crashes", &missed)
				s.must(err)
			}
			if got := missed + strings.Count(string(ran), "\n"); got != flood {
				t.Errorf("got %d crashes that the hook or the log has, want %d", got, flood)
			}
		})
	}
}

// TestRemovedHookIsNotRunForWaitingCrashes: not for crashes that wait for it either.
func TestRemovedHookIsNotRunForWaitingCrashes(t *testing.T) {
	s, home := hooked(t)
	s.must(syscall.Mkfifo(filepath.Join(home, "gate"), 0o600))
	s.must(s.hook.Set([]string{s.script(home, `read x < gate; echo >> runs`)}))
	for i := range 20 {
		s.write(s.reports, fmt.Sprintf("%d.ips", i), ips(fmt.Sprint(i), "f()"), 0)
	}
	s.found(crashes.Query{})
	s.must(s.hook.Remove())
	open, err := os.OpenFile(filepath.Join(home, "gate"), os.O_RDWR, 0)
	s.must(err)
	_, err = open.WriteString(strings.Repeat("\n", 20))
	s.must(err)
	s.hook.Wait()
	s.must(open.Close())
	if ran, _ := os.ReadFile(filepath.Join(home, "runs")); strings.Count(string(ran), "\n") > 4 {
		t.Errorf("got %d runs, want those that ran when it was removed", strings.Count(string(ran), "\n"))
	}
}

// TestHookIsEndedWithTheWatcher: one that does not end, prints without end, and has children that stay.
func TestHookIsEndedWithTheWatcher(t *testing.T) {
	t.Parallel()
	s, home := hooked(t)
	alive := filepath.Join(home, "alive")
	s.must(syscall.Mkfifo(alive, 0o600))
	s.must(s.hook.Set([]string{s.script(home, `exec 3> alive; trap '' INT; (exec yes) & exec yes >&2`)}))
	s.write(s.reports, "a.ips", ips("1", "f()"), 0)
	s.found(crashes.Query{})
	pipe, err := os.Open(alive) // when it has begun
	s.must(err)
	defer pipe.Close()
	s.must(s.hook.Close())
	s.must(pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	if _, err := io.ReadAll(pipe); err != nil { // its end is that of all who have it open
		t.Errorf("got %v, want that no process of it is left", err)
	}
}

// TestMissingHookFolderIsLogged is told of, and the watcher goes on.
func TestMissingHookFolderIsLogged(t *testing.T) {
	s, home := hooked(t)
	s.must(s.hook.Set([]string{s.script(home, "true")}))
	s.hook.Dir = filepath.Join(home, "gone")
	s.write(s.reports, "a.ips", ips("1", "f()"), 0)
	if got := len(s.found(crashes.Query{})); got != 1 {
		t.Errorf("got %d reports, want 1", got)
	}
	s.hook.Wait()
	if got := s.said("the crash hook failed"); len(got) != 1 || !strings.Contains(got[0].Message, "gone") {
		t.Errorf("the log: got %+v, want the folder that is gone", got)
	}
}

// TestHostileReportCannotChangeHookArguments: whatever a report says, the program gets the arguments that were set, and a report within
// bounds that is JSON; the report is listed and harms no other.
func TestHostileReportCannotChangeHookArguments(t *testing.T) {
	long := strings.Repeat("A", 1<<20)
	for name, change := range map[string]*strings.Replacer{
		"names that are lines and options": strings.NewReplacer("Shop", `--exec\nrm -rf /\u001b[2J\u0000`, "Cart.swift", `../../../etc/passwd`),
		"names that are long":              strings.NewReplacer(`"Shop"`, `"`+long+`"`, "Cart.swift", long, "_assertionFailure", long),
		"a path as bundle id":              strings.NewReplacer("com.iosagent.shop", `../../../../etc/$(id)`),
		"a time that will never be":        strings.NewReplacer("2026-01-02", "9998-12-31"),
		"a time that never was":            strings.NewReplacer("2026-01-02", "0001-01-01"),
		"a device that is none":            strings.NewReplacer("AAAAAAAA-0000-0000-0000-000000000001", "-"+long),
		"many frames": strings.NewReplacer(`"frames":[`, `"frames":[`+strings.Repeat(
			`{"imageIndex":0,"imageOffset":1,"symbol":"again()","symbolLocation":1},`, 50_000)),
	} {
		t.Run(name, func(t *testing.T) {
			s, home := hooked(t)
			s.must(s.hook.Set([]string{s.script(home, `printf '%s|' "$#" "$@" > args; cat > report.json`), "$(id)"}))
			s.write(s.reports, "-rf \n$(id).ips", change.Replace(ips("1", "f()")), 0)
			s.write(s.reports, "good.ips", ips("2", "g()"), day)
			found := s.found(crashes.Query{})
			s.hook.Wait()
			if len(found) != 2 {
				t.Errorf("got %d reports, want the hostile one and the other", len(found))
			}
			if args, err := os.ReadFile(filepath.Join(home, "args")); string(args) != "1|$(id)|" {
				t.Errorf("got the arguments %q, %v, want those that were set", args, err)
			}
			text, err := os.ReadFile(filepath.Join(home, "report.json"))
			var c crashes.Crash
			if err != nil || json.Unmarshal(text, &c) != nil || c.Kind != "crash" || len(text) > 128<<10 {
				t.Errorf("got a report of %d bytes, %.200q, %v, want one of at most 128 KB", len(text), text, err)
			}
			if again := s.found(crashes.Query{}); len(again) != len(found) {
				t.Errorf("looked at again: got %d reports, want %d", len(again), len(found))
			}
		})
	}
}
