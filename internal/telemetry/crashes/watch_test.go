package crashes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
	"ios-agent/test/samples"
)

// stand is a watcher over empty folders.
type stand struct {
	*crashes.Watcher
	t             *testing.T
	store         *telemetry.Store
	reports, drop string
	hook          *crashes.Hook
}

func newStand(t *testing.T, change func(*crashes.Options)) *stand {
	t.Helper()
	dir := t.TempDir()
	s := &stand{t: t, reports: filepath.Join(dir, "DiagnosticReports"), drop: filepath.Join(dir, "crashes")}
	for _, d := range []string{s.reports, filepath.Join(s.reports, "Retired"), s.drop} {
		s.must(os.MkdirAll(d, 0o700))
	}
	hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
	s.store = telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db"), Now: time.Now, Hide: hide})
	t.Cleanup(func() { s.must(s.store.Close()) })
	o := crashes.Options{Folders: []string{s.reports}, Drop: s.drop, Store: s.store, Every: -1}
	if change != nil {
		change(&o)
	}
	s.hook, s.Watcher = o.Hook, crashes.New(o)
	t.Cleanup(func() { s.must(s.Close()) })
	return s
}

func (s *stand) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// ips is the report of a crash in a function of the app.
func ips(incident, function string) string {
	return fmt.Sprintf(`{"app_name":"Shop","bundleID":"com.iosagent.shop","bug_type":"309","os_version":"iPhone OS 26.0","incident_id":"%s",`+
		`"timestamp":"2026-01-02 15:04:05.00 +0000"}
{"procName":"Shop","pid":42,"procPath":"/private/var/containers/Shop.app/Shop","captureTime":"2026-01-02 15:04:05.1234 +0000",
 "coalitionName":"com.apple.CoreSimulator.SimDevice.AAAAAAAA-0000-0000-0000-000000000001",
 "exception":{"type":"EXC_BREAKPOINT","signal":"SIGTRAP","codes":"0x1, 0x2"},"faultingThread":0,
 "asi":{"libswiftCore.dylib":["Fatal error: password hunter2 is wrong"]},
 "threads":[{"triggered":true,"frames":[{"imageIndex":1,"imageOffset":8,"symbol":"_assertionFailure","symbolLocation":4},
  {"imageIndex":0,"imageOffset":4096,"symbol":"%s","symbolLocation":12,"sourceFile":"Cart.swift","sourceLine":7}]}],
 "usedImages":[{"base":4294967296,"size":65536,"uuid":"938a8c4a-3be6-3a6b-865d-1e39adbfa134","arch":"arm64","name":"Shop",
  "path":"/private/var/containers/Shop.app/Shop"},
  {"base":1,"size":9,"name":"libswiftCore.dylib","path":"/usr/lib/swift/libswiftCore.dylib"}]}
`, incident, function)
}

// write puts a report into a folder, as old as that.
func (s *stand) write(dir, name, text string, age time.Duration) string {
	s.t.Helper()
	path := filepath.Join(dir, name)
	s.must(os.MkdirAll(dir, 0o700))
	s.must(os.WriteFile(path, []byte(text), 0o600))
	at := time.Now().Add(-age)
	s.must(os.Chtimes(path, at, at))
	return path
}

func (s *stand) found(q crashes.Query) []crashes.Crash {
	s.t.Helper()
	all, _, err := s.Find(s.t.Context(), q)
	s.must(err)
	return all
}

// entries are the messages that the log has of crashes.
func (s *stand) entries() (out []string) {
	s.t.Helper()
	s.must(s.store.Flush(s.t.Context()))
	page, err := s.store.Query(s.t.Context(), telemetry.Query{Sources: []telemetry.Source{telemetry.Crash}, Limit: 100})
	s.must(err)
	for _, e := range page.Entries {
		out = append(out, fmt.Sprintf("%s %s", e.Level, e.Message))
	}
	return out
}

const day = 24 * time.Hour

func TestNewReportIsAnnouncedOnce(t *testing.T) {
	s := newStand(t, nil)
	s.write(s.reports, "old.ips", ips("1", "Cart.old()"), 3*day)
	s.write(s.reports, "too-old.ips", ips("2", "Cart.ancient()"), 8*day)
	if all := s.found(crashes.Query{}); len(all) != 1 || all[0].Frames[0].Symbol != "Cart.old()" {
		t.Fatalf("before the watcher: %+v", all)
	}
	if said := s.entries(); len(said) != 0 {
		t.Errorf("a report that was there is news: %q", said)
	}
	path := s.write(s.reports, "new.ips", ips("3", "Cart.total()"), 0)
	for range 2 {
		if all := s.found(crashes.Query{}); len(all) != 2 {
			t.Errorf("%d reports", len(all))
		}
	}
	s.must(os.Rename(path, filepath.Join(s.reports, "Retired", "new.ips")))
	all := s.found(crashes.Query{})
	want := "fault CRASH: Shop EXC_BREAKPOINT (SIGTRAP) @ Cart.total()"
	if said := s.entries(); len(all) != 2 || len(said) != 1 || said[0] != want {
		t.Errorf("%d reports, said %q", len(all), said)
	}
	c, err := s.Get(t.Context(), "latest", crashes.Query{App: "com.iosagent.shop", Device: "aaaaaaaa-0000-0000-0000-000000000001"})
	s.must(err)
	if c.UDID != "AAAAAAAA-0000-0000-0000-000000000001" || c.PID != 42 || c.Frames[0].Line != 7 || !c.Frames[0].Own || len(c.Stack) != 2 ||
		c.Exception != "EXC_BREAKPOINT" || c.Signal != "SIGTRAP" || len(c.Images) != 1 {
		t.Errorf("%+v", c)
	}
	if text := fmt.Sprintf("%+v", c); strings.Contains(text, "hunter2") || !strings.Contains(c.Reason, "Fatal error: password •••") {
		t.Errorf("a secret is shown: %s", text)
	}
}

func TestReportsAreGroupedAndFiltered(t *testing.T) {
	s := newStand(t, nil)
	for i, function := range []string{"a()", "b()", "a()"} {
		s.write(s.reports, fmt.Sprintf("%d.ips", i), ips(fmt.Sprint(i), function), time.Duration(3-i)*time.Hour)
	}
	s.write(s.reports, "Jetsam.ips", `{"bug_type":"298","os_version":"x","timestamp":"2026-01-02 15:04:05.00 +0000","incident_id":"J"}
{"largestProcess":"Game","processes":[{"name":"Shop","pid":7,"rpages":64,"reason":"per-process-limit"}]}`, 0)
	s.write(s.reports, "Stats.ips", `{"bug_type":"226","os_version":"x"}`+"\n{}", 0)
	s.write(s.reports, "notes.txt", "nothing", 0)
	all, others, err := s.Find(t.Context(), crashes.Query{})
	s.must(err)
	groups := crashes.Groups(all)
	if len(groups) != 2 || groups[0].Count+groups[1].Count != 3 || others["jetsam"] != 1 {
		t.Errorf("%+v, others %v", groups, others)
	}
	if skipped := s.Skipped(); skipped["statistics of the network"] != 1 || skipped["not readable"] != 1 || len(skipped) != 2 {
		t.Errorf("skipped %v", skipped)
	}
	for name, q := range map[string]crashes.Query{
		"3 crashes": {App: "shop"}, "0 of others": {App: "Other"}, "4 with all": {All: true}, "0 since": {Since: time.Now()},
		"0 elsewhere": {Device: "B"},
	} {
		if n := fmt.Sprint(len(s.found(q))); n != name[:1] {
			t.Errorf("%s: %s", name, n)
		}
	}
	for _, id := range []string{all[0].ID, all[0].ID[:6], all[0].Group} {
		if c, err := s.Get(t.Context(), id, crashes.Query{}); err != nil || c.ID != all[0].ID {
			t.Errorf("%s: %v %v", id, c.ID, err)
		}
	}
	for _, id := range []string{"zzzz", "", "a"} {
		if c, err := s.Get(t.Context(), id, crashes.Query{}); err == nil {
			t.Errorf("%q is %s", id, c.ID)
		}
	}
}

// TestPartialReportIsReadWhenComplete: a report that is still written is read when it is whole.
func TestPartialReportIsReadWhenComplete(t *testing.T) {
	whole := ips("1", "Cart.total()")
	header, _, _ := strings.Cut(whole, "\n")
	for name, half := range map[string]string{
		"nothing": "", "the header": header + "\n", "half a body": whole[:len(whole)/2], "half a header": header[:30],
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t, nil)
			s.write(s.reports, "a.ips", half, 0)
			if all := s.found(crashes.Query{All: true}); len(all) != 0 {
				t.Errorf("%+v", all)
			}
			s.write(s.reports, "a.ips", whole, 0)
			if all := s.found(crashes.Query{}); len(all) != 1 || len(s.entries()) != 1 {
				t.Errorf("%d reports, said %q", len(all), s.entries())
			}
		})
	}
	s := newStand(t, nil)
	s.write(s.reports, "a.ips", header+"\n", time.Hour)
	if all := s.found(crashes.Query{}); len(all) != 1 {
		t.Errorf("a report that stays half is told as it is: %+v", all)
	}
}

// TestDropFolderIsRead: what is put there is read however old it is, and a copy of a device's report is that device's.
func TestDropFolderIsRead(t *testing.T) {
	const phone = "00008140-000A61C23E04801C"
	s := newStand(t, nil)
	s.write(s.drop, "old.ips", ips("1", "a()"), 300*day)
	if all := s.found(crashes.Query{}); len(all) != 1 || len(s.entries()) != 0 {
		t.Errorf("%d, %q", len(all), s.entries())
	}
	s.write(s.drop, "late.ips", ips("2", "b()"), 200*day)
	s.write(filepath.Join(s.drop, phone), "c.ips.ca.synced", ips("3", "c()"), 0)
	s.write(filepath.Join(s.drop, "notes"), "d.ips", ips("4", "d()"), 0)
	if all := s.found(crashes.Query{}); len(all) != 4 || len(s.entries()) != 3 {
		t.Errorf("%d, %q", len(all), s.entries())
	}
	if of := s.found(crashes.Query{Device: phone}); len(of) != 1 || of[0].Frames[0].Symbol != "c()" {
		t.Errorf("%+v", of)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(s.drop, "link.txt")); err != nil {
		t.Fatal(err)
	}
	s.found(crashes.Query{})
	if n := s.Skipped()["not readable"]; n != 0 {
		t.Error("a link was followed")
	}
}

// TestStoredReportIsNotAnnouncedAgain: a report that the store has is no news to the next daemon.
func TestStoredReportIsNotAnnouncedAgain(t *testing.T) {
	s := newStand(t, nil)
	s.write(s.reports, "a.ips", ips("1", "a()"), 0)
	s.found(crashes.Query{})
	next := crashes.New(crashes.Options{Folders: []string{s.reports}, Store: s.store, Every: -1})
	s.must(next.Look(t.Context()))
	s.must(next.Close())
	if said := s.entries(); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// TestWatcherFindsReportsByItself writes a report while the watcher runs.
func TestWatcherFindsReportsByItself(t *testing.T) {
	s := newStand(t, func(o *crashes.Options) { o.Every = time.Millisecond })
	follow := s.store.Follow(telemetry.Query{Sources: []telemetry.Source{telemetry.Crash}})
	defer follow.Close()
	s.write(s.reports, "a.ips", ips("1", "a()"), 0)
	limit, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case e := <-follow.C:
		if e.App != "com.iosagent.shop" || e.PID != 42 || e.Level != telemetry.Fault || !strings.HasPrefix(e.Raw, `{"app_name":"Shop"`) {
			t.Errorf("%+v", e)
		}
	case <-limit.Done():
		t.Fatal("nothing was said")
	}
	for _, source := range s.store.Sources() {
		if source.ID == "crash" && source.Status == "watching" && source.Captured == 1 {
			return
		}
	}
	t.Errorf("it is no source: %+v", s.store.Sources())
}

// TestEverySampleReportIsStored puts all samples into the folder of people.
func TestEverySampleReportIsStored(t *testing.T) {
	s := newStand(t, nil)
	all := samples.Of(t, "crash")
	ids, more := map[string]bool{}, 0 // some samples are two forms of one report, and one file has several
	for _, one := range all {
		s.write(s.drop, one.Name, string(one.Data), 0)
		r, err := crash.Read(one.Data)
		s.must(err)
		ids[r.ID(one.Name)] = true
		more += len(r.More)
	}
	found := s.found(crashes.Query{All: true})
	if len(found) != len(ids)+more || len(found) < len(all)-2 || len(s.Skipped()) != 0 {
		t.Errorf("%d reports of %d files, skipped %v", len(found), len(all), s.Skipped())
	}
	for _, c := range found {
		if c.Time.IsZero() || c.Process == "" || c.Group == "" || c.Raw == "" || c.Exception == "" {
			t.Errorf("%s: %+v", c.Path, c)
		}
	}
}
