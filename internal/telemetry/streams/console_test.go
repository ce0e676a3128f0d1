package streams_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// output makes the files for an app that is launched.
func (r *rig) output(session string) streams.Output {
	r.t.Helper()
	out, err := r.NewOutput(owner(session), shop)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range []string{out.Stdout, out.Stderr} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			r.t.Errorf("%v %v", info, err)
		}
	}
	return out
}

func (r *rig) launched(session string, pid int, to streams.Output, fresh bool) {
	r.Printed(streams.Launched{Owner: owner(session), App: shop, PID: pid, To: to, New: fresh})
}

func (r *rig) print(path, text string) {
	r.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err != nil || closed != nil {
		r.t.Fatal(err, closed)
	}
}

// said are the messages that the store has.
func (r *rig) said() (all []string) {
	r.t.Helper()
	if err := r.Settle(r.t.Context(), "PHONE-1", shop); err != nil {
		r.t.Fatal(err)
	}
	page, err := r.store.Query(r.t.Context(), telemetry.Query{Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range page.Entries {
		all = append(all, e.Message)
	}
	return all
}

func (r *rig) has(want ...string) {
	r.t.Helper()
	if got := r.said(); strings.Join(got, "|") != strings.Join(want, "|") {
		r.t.Errorf("said %q, want %q", got, want)
	}
}

// TestAppOutputIsStoredByLine is there when somebody asks, line by line.
func TestAppOutputIsStoredByLine(t *testing.T) {
	r := newRig(t)
	to := r.output("ann")
	r.launched("ann", 77, to, true)
	r.print(to.Stdout, "hello\nhalf ")
	r.has("hello")
	r.print(to.Stdout, "a line\r\n\n")
	r.print(to.Stderr, "2026-01-02 15:04:05.678 Shop[77:1a2b] NSLog said this\nplain \xff\n")
	r.has("hello", "half a line", "NSLog said this", "plain \uFFFD")
	page, err := r.store.Query(t.Context(), telemetry.Query{Sources: []telemetry.Source{telemetry.Console}, App: shop, Device: "PHONE-1"})
	if err != nil || len(page.Entries) != 4 {
		t.Fatal(err, page)
	}
	out, ns, plain := page.Entries[0], page.Entries[2], page.Entries[3]
	if out.Level != telemetry.Info || out.PID != 77 || out.Process != "Shop" || plain.Level != telemetry.Notice {
		t.Errorf("%+v %+v", out, plain)
	}
	if at := time.Date(2026, 1, 2, 15, 4, 5, 678e6, time.Local); !ns.Time.Equal(at) || ns.Level != telemetry.Notice || ns.Process != "Shop" {
		t.Errorf("%+v", ns)
	}
	r.print(to.Stdout, "without an end")
	r.Ended("PHONE-1", shop)
	r.has("hello", "half a line", "NSLog said this", "plain \uFFFD", "without an end")
	if left, _ := os.ReadDir(r.dir); len(left) != 0 {
		t.Errorf("%v stays", left)
	}
}

// TestConsoleIsReadAtIntervals: who follows the store sees what an app prints soon after.
func TestConsoleIsReadAtIntervals(t *testing.T) {
	r := newRig(t)
	to := r.output("ann")
	r.launched("ann", 77, to, true)
	r.print(to.Stdout, "by itself\n")
	r.await("by itself")
}

// TestRunningAppKeepsItsOutputFiles prints where it did; one that is launched anew does not.
func TestRunningAppKeepsItsOutputFiles(t *testing.T) {
	r := newRig(t)
	first := r.output("ann")
	r.launched("ann", 77, first, true)
	second := r.output("ann")
	r.launched("ann", 77, second, false)
	r.print(first.Stdout, "still here\n")
	r.has("still here")
	if _, err := os.Stat(second.Stdout); err == nil {
		t.Error("files that nobody writes to stay")
	}
	r.print(first.Stdout, "last words\n")
	third := r.output("ann")
	r.launched("ann", 78, third, true)
	r.print(third.Stdout, "new\n")
	r.has("still here", "last words", "new")
	if left, _ := os.ReadDir(r.dir); len(left) != 2 {
		t.Errorf("%v", left)
	}
}

// TestLargeOutputFileIsTruncated: a file does not grow for ever, whether the app appends or writes where it was.
func TestLargeOutputFileIsTruncated(t *testing.T) {
	for name, flags := range map[string]int{"append": os.O_APPEND, "at its place": 0} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			to := r.output("ann")
			r.launched("ann", 77, to, true)
			app, err := os.OpenFile(to.Stdout, os.O_WRONLY|flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer app.Close()
			write := func(text string) {
				if _, err := app.WriteString(text); err != nil {
					t.Fatal(err)
				}
				r.said()
			}
			long := strings.Repeat(strings.Repeat("x", 60<<10)+"\n", 150)
			write(long)
			write("after\n")
			write("and again\n")
			all := r.said()
			if n := len(all); n < 3 || all[n-2] != "after" || all[n-1] != "and again" {
				t.Errorf("%d, the last %.80q", n, all[max(0, n-3):])
			}
			size, err := os.Stat(to.Stdout)
			if err != nil || flags != 0 && size.Size() > 100 {
				t.Errorf("%v %v", size, err)
			}
		})
	}
}

// TestAppOutputSurvivesDaemon: what it prints while nobody listens is read when a session asks again, and once only.
func TestAppOutputSurvivesDaemon(t *testing.T) {
	r := newRig(t)
	to := r.output("ann")
	r.launched("ann", 77, to, true)
	r.print(to.Stdout, "one\n")
	r.EndAll(func(o device.Owner) bool { return o.Session == "ann" })
	r.print(to.Stdout, "two\n")
	r.has("one")
	r.Resume(r.phone, streams.Request{Owner: owner("bob"), App: shop})
	r.has("one", "two")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.print(to.Stdout, "three\n")
	r.open()
	r.launched("bob", 77, r.output("bob"), false)
	r.print(to.Stdout, "four\n")
	r.has("one", "two", "three", "four")
}

// TestOutputGapIsReportedAfterKill nobody knows how far the files were read: what comes from then on is read, and the gap is told.
func TestOutputGapIsReportedAfterKill(t *testing.T) {
	r := newRig(t)
	to := r.output("ann")
	r.launched("ann", 77, to, true)
	r.print(to.Stdout, "one\n")
	r.has("one")
	killed := r.Manager // it never says goodbye
	t.Cleanup(func() { _ = killed.Close() })
	r.open()
	r.Resume(r.phone, streams.Request{Owner: owner("ann"), App: shop})
	r.print(to.Stdout, "two\n")
	if said := r.said(); len(said) < 3 || said[0] != "one" || !strings.Contains(said[1], "missing") || said[2] != "two" {
		t.Errorf("%q", said)
	}
}

// TestTidyRemovesOldOutputFiles: what earlier daemons left is bounded, and what no app can print to any more is removed.
func TestTidyRemovesOldOutputFiles(t *testing.T) {
	r := newRig(t)
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := func(name, text string, age time.Duration) {
		t.Helper()
		path, when := filepath.Join(r.dir, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	file("PHONE-1_a.old_20200101T000000.0abc-stdout.log", "x", 48*time.Hour)
	file("PHONE-1_a.b_20260101T000000.0abc-stdout.log", "of a launch before", 0)
	file("PHONE-1_a.b_20260101T000000.0abc-stderr.log", "", 0)
	file("PHONE-1_a.b_20260101T000000.0abc.read", "", 0)
	file("PHONE-1_a.b_20260102T000000.0abc-stdout.log", "still there", 0)
	file("PHONE-2_a.b_20260101T000000.0abc-stdout.log", "on another device", 0)
	file("PHONE-1_a.c_20260101T000000.0abc-stdout.log", strings.Repeat("x", 9<<20), 0)
	file("PHONE-1_a.c_20260101T000000.0abc.read", "", 0)
	file("notes of a user", strings.Repeat("x", 9<<20), 48*time.Hour)
	dead, alive := r.output("ann"), streams.Output{}
	r.launched("ann", 77, dead, true)
	r.EndAll(func(device.Owner) bool { return true })
	alive, err := r.NewOutput(owner("ann"), "com.example.Other")
	if err != nil {
		t.Fatal(err)
	}
	r.Printed(streams.Launched{Owner: owner("ann"), App: "com.example.Other", PID: 78, To: alive, New: true})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.gone = func(pid int) bool { return pid == 77 }
	r.open()
	r.Tidy()
	left := map[string]int64{}
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		left[e.Name()] = info.Size()
	}
	for name, size := range map[string]int64{
		"PHONE-1_a.b_20260102T000000.0abc-stdout.log": 11, "PHONE-2_a.b_20260101T000000.0abc-stdout.log": 17,
		"PHONE-1_a.c_20260101T000000.0abc-stdout.log": 0, "notes of a user": 9 << 20, filepath.Base(alive.Stdout): 0,
		filepath.Base(alive.Stderr): 0, strings.TrimSuffix(filepath.Base(alive.Stdout), "-stdout.log") + ".read": 0,
	} {
		if got, is := left[name]; !is || got != size {
			t.Errorf("%s: %d bytes, there %v", name, got, is)
		}
		delete(left, name)
	}
	if len(left) > 0 {
		t.Errorf("%v stays", left)
	}
}

// TestSecretsInOutputFilesAreOverwritten: a line in which something was hidden is hidden in our files too, without harm to what the app
// prints before, after and meanwhile; after a kill nobody looks any more, and the file is emptied. A file of the caller is not touched.
func TestSecretsInOutputFilesAreOverwritten(t *testing.T) {
	for name, flags := range map[string]int{"append": os.O_APPEND, "at its place": 0} {
		r := newRig(t)
		to := r.output("ann")
		r.launched("ann", 77, to, true)
		app, err := os.OpenFile(to.Stdout, os.O_WRONLY|flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		print := func(text string) {
			if _, err := app.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
		print("before\nthe password is hun")
		r.has("before")
		print("ter2, really\nafter\n")
		r.has("before", "the password is hunter2, really", "after") // the store hides by itself; this one does not
		print("more\n")
		r.has("before", "the password is hunter2, really", "after", "more")
		data, err := os.ReadFile(to.Stdout)
		if want := "before\n" + strings.Repeat("*", 31) + "\nafter\nmore\n"; err != nil || string(data) != want {
			t.Errorf("%s: got the file %q and %v, want %q", name, data, err, want)
		}
		print("hunter2\n")
		killed := r.Manager // it never says goodbye
		t.Cleanup(func() { _ = killed.Close() })
		r.open()
		r.Resume(r.phone, streams.Request{Owner: owner("ann"), App: shop})
		if data, err := os.ReadFile(to.Stdout); err != nil || strings.Contains(string(data), "hunter2") {
			t.Errorf("%s, after a kill: got %q and %v, want no secret", name, data, err)
		}
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	}
	r := newRig(t)
	own := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(own, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launched("ann", 77, streams.Output{Stdout: own, Stderr: own + "2"}, true)
	r.has("hunter2")
	if data, err := os.ReadFile(own); err != nil || string(data) != "hunter2\n" {
		t.Errorf("a file of the caller: got %q and %v, want it as it was", data, err)
	}
}

// TestConsoleReportsAppExit: when they are ended, launched anew, or their device is off; not when they go on.
func TestConsoleReportsAppExit(t *testing.T) {
	r := newRig(t)
	r.launched("ann", 77, r.output("ann"), false)
	r.launched("ann", 77, r.output("ann"), false)
	if len(r.over) != 0 {
		t.Errorf("an app that goes on: got %q, want no end", r.over)
	}
	r.launched("ann", 78, r.output("ann"), false)
	r.launched("ann", 79, r.output("ann"), true)
	r.Ended("PHONE-1", shop)
	r.Off("PHONE-1")
	if got, want := strings.Join(r.over, ","), strings.Repeat("PHONE-1 "+shop+",", 3)+"PHONE-1 "; got != want {
		t.Errorf("got the ends %q, want %q", got, want)
	}
}
