package telemetry_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

func flush(t testing.TB, s *telemetry.Store) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestEntryNumbersIncreaseAcrossRestarts: over restarts, after everything was deleted, and with a file that somebody removed.
func TestEntryNumbersIncreaseAcrossRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	next := func(want int64) {
		t.Helper()
		s.Add(telemetry.Entry{Message: fmt.Sprint("number ", want), Count: 2})
		page := query(t, s, telemetry.Query{Limit: 1})
		if page.Last != want || len(page.Entries) != 1 || page.Entries[0].Number != want || s.Last() != want {
			t.Fatalf("got %+v, want %d", page, want)
		}
	}
	next(1)
	next(2)
	again := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = at(t, path)
	}
	again()
	if s.Last() != 2 {
		t.Error(s.Last())
	}
	next(3)
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page := query(t, s, telemetry.Query{}); page.Total != 0 || page.Last != 3 {
		t.Errorf("%+v", page)
	}
	again()
	next(4)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	next(5)
	u, err := s.Usage(t.Context())
	if err != nil || !strings.Contains(u.Notice, "deleted") {
		t.Errorf("%+v %v", u, err)
	}
	again()
	next(6)
	if err := s.Keep(t.Context(), telemetry.Document{Kind: "build", ID: "x", Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	next(8)
}

// TestDeleteRemovesAllStoredLines: nothing of it is left on the disk, and who deletes before anything was stored makes no file.
func TestDeleteRemovesAllStoredLines(t *testing.T) {
	dir := t.TempDir()
	s := at(t, filepath.Join(dir, "telemetry.db"))
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, _ := os.ReadDir(dir); len(found) != 0 {
		t.Error(found)
	}
	for i := range 2000 {
		s.Add(telemetry.Entry{Message: fmt.Sprint("a private line ", i)})
	}
	flush(t, s)
	s.Add(telemetry.Entry{Message: "a private line that waits"})
	if err := os.WriteFile(filepath.Join(dir, "telemetry.db.damaged-1"), []byte("a private line"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, name := range found {
		if raw, err := os.ReadFile(name); err != nil || strings.Contains(string(raw), "private") {
			t.Errorf("%s has it: %v", name, err)
		}
	}
	if p := query(t, s, telemetry.Query{}); p.Total != 0 {
		t.Error(p.Total)
	}
}

// TestDamagedFileIsSetAside: one that is damaged, wherever that shows, or of another version, is set aside, and work goes on in a new one
// with numbers that were never given.
func TestDamagedFileIsSetAside(t *testing.T) {
	for name, ruin := range map[string]func(t *testing.T, path string){
		"no SQLite": func(t *testing.T, path string) { overwrite(t, path, 0, "this is no file of SQLite") },
		"the pages": func(t *testing.T, path string) { overwrite(t, path, 8192, strings.Repeat("\xa5", 1<<18)) },
		"version":   func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 99") },
		"a block":   func(t *testing.T, path string) { execute(t, path, "UPDATE block SET head = x'ffff'") },
		"a number":  func(t *testing.T, path string) { execute(t, path, "UPDATE block SET n = 1 << 60") },
		"a text":    func(t *testing.T, path string) { execute(t, path, "UPDATE block SET body = substr(body, 2)") },
		"a sieve":   func(t *testing.T, path string) { execute(t, path, "UPDATE block SET sieve = x'', body = x'01'") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "telemetry.db")
			s := at(t, path)
			for i := range 1500 {
				s.Add(telemetry.Entry{Message: fmt.Sprint("line ", i), Process: "P"})
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			ruin(t, path)
			s = at(t, path)
			query(t, s, telemetry.Query{Search: "line", Process: "P", Level: telemetry.Info})
			query(t, s, telemetry.Query{Search: "line", Process: "P", Limit: 1})
			s.Add(telemetry.Entry{Message: "after"})
			page := say(t, s, "after", telemetry.Query{})
			if page.Total != 1 || page.Entries[0].Number <= 1500 {
				t.Errorf("%+v", page)
			}
			u, err := s.Usage(t.Context())
			aside, _ := filepath.Glob(path + ".damaged-*")
			if err != nil || len(aside) == 0 || !strings.Contains(u.Notice, aside[0]) || !strings.Contains(u.Notice, "a new one is begun") {
				t.Errorf("%v, notice %q, beside it %v", err, u.Notice, aside)
			}
			if left := indexFiles(t, path); len(left) != 0 {
				t.Errorf("%v is of the file that was set aside", left)
			}
		})
	}
}

func overwrite(t *testing.T, path string, at int64, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(text), at); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// TestRetentionRemovesOldestLines: what is too old goes, and when there is too much the oldest; the file becomes smaller.
func TestRetentionRemovesOldestLines(t *testing.T) {
	c := newClock()
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path, withClock(c), func(o *telemetry.Options) { o.KeepFor, o.KeepBytes = time.Hour, 1<<20 })
	some := func(n int, word string) {
		for i := range n {
			id := strings.Repeat(fmt.Sprintf("%08x ", uint32(i*2654435761)), 10) // the index has these too
			s.Add(telemetry.Entry{Message: fmt.Sprintf("%s %d %s", word, i, id), Count: 2})
		}
		flush(t, s)
	}
	some(3000, "old")
	if err := s.Keep(t.Context(), telemetry.Document{Kind: "crash", ID: "old", Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	c.pass(59 * time.Minute)
	some(1000, "young")
	if n := query(t, s, telemetry.Query{Search: "old"}).Total; n != 3000 {
		t.Errorf("%d old ones", n)
	}
	before := usage(t, s).Entries
	c.pass(2 * time.Minute)
	some(1, "new")
	if n := query(t, s, telemetry.Query{Search: "old"}).Total; n > 512 { // the block in which the young ones begin
		t.Errorf("%d old ones", n)
	}
	if u := usage(t, s); u.Documents != 0 || u.Entries > before-2400 {
		t.Errorf("%+v, %d before", u, before)
	}
	for i := range 40 {
		some(1000, fmt.Sprint("round ", i))
	}
	u := usage(t, s)
	newest := query(t, s, telemetry.Query{Search: "round 39"}).Total
	oldest := query(t, s, telemetry.Query{Limit: 1, Oldest: true}).Entries[0]
	if s.IndexBytes() == 0 {
		t.Error("nothing is in the index")
	}
	if u.Entries < 2000 || newest != 1000 || !strings.HasPrefix(oldest.Message, "round 3") {
		t.Errorf("%+v, %d of the newest, oldest %s", u, newest, oldest.Message)
	}
	if page := query(t, s, telemetry.Query{}); page.Last != 44_002 || int64(page.Total) != u.Entries {
		t.Error(page.Last, page.Total, u.Entries)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, name := range append(indexFiles(t, path), path) {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Error(name, info.Mode(), err)
		}
		total += info.Size()
	}
	if total > 3<<19 {
		t.Error(total)
	}
}

func usage(t testing.TB, s *telemetry.Store) telemetry.Usage {
	t.Helper()
	u, err := s.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestFloodIsDroppedAndCounted: what does not fit into the queue is dropped and counted, and an entry says so; Add waits for nobody.
func TestFloodIsDroppedAndCounted(t *testing.T) {
	var once sync.Once
	begun, wait := make(chan struct{}), make(chan struct{})
	s := fresh(t, func(o *telemetry.Options) {
		o.Hide = func(text string) string { // the writer stands here
			once.Do(func() { close(begun); <-wait })
			return text
		}
	})
	s.Add(telemetry.Entry{Message: "first"})
	<-begun
	feed := s.Open(telemetry.State{})
	for i := range 60_000 {
		feed.Add(telemetry.Entry{Message: fmt.Sprint("line ", i)})
	}
	close(wait)
	page := query(t, s, telemetry.Query{Limit: 1})
	u := usage(t, s)
	if u.Dropped < 9_000 || page.Entries[0].Source != telemetry.Server || page.Entries[0].Level != telemetry.Warning ||
		!strings.Contains(page.Entries[0].Message, fmt.Sprint(u.Dropped, " lines were dropped")) {
		t.Errorf("%d dropped, %+v", u.Dropped, page.Entries[0])
	}
	if n := feed.State().Captured; n != 60_000-u.Dropped || int64(page.Total) != n+2 {
		t.Errorf("%d captured, %d dropped, %d stored", n, u.Dropped, page.Total)
	}
}

// TestLongLineIsCut: a line longer than may be is cut, and says so.
func TestLongLineIsCut(t *testing.T) {
	s := fresh(t)
	s.Add(telemetry.Entry{Message: strings.Repeat("é", 1<<20), Raw: "\xff" + strings.Repeat("r", 1<<20)})
	e := query(t, s, telemetry.Query{}).Entries[0]
	if len(e.Message) > 33<<10 || !strings.HasSuffix(e.Message, "bytes more)") || len(e.Raw) > 65<<10 ||
		!strings.HasPrefix(e.Raw, "\uFFFDrr") {
		t.Error(len(e.Message), len(e.Raw), e.Message[len(e.Message)-40:])
	}
}

// TestSecretsAreNotStored: neither in the answers nor in the file.
func TestSecretsAreNotStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path, func(o *telemetry.Options) {
		o.Hide = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	})
	s.Add(telemetry.Entry{Message: "password hunter2", Raw: "raw hunter2", Process: "hunter2", Subsystem: "hunter2"})
	s.Add(telemetry.Entry{Message: "password hunter2", Raw: "raw hunter2", Process: "hunter2", Subsystem: "hunter2"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "hunter2") || !strings.Contains(string(raw), "password ***") {
		t.Error("it is in the file", err)
	}
}

// TestUnwritableStoreCountsDroppedLines: the lines that cannot be stored are counted, the log says it once, usage says why, what there is
// can be read; when the disk takes files again it goes on and says how many are missing. SQLite needs a file beside its own: here is a
// folder in its place.
func TestUnwritableStoreCountsDroppedLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	if err := os.MkdirAll(path+"-wal", 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := at(t, path, func(o *telemetry.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for i := range 3 {
		s.Add(telemetry.Entry{Message: fmt.Sprint("line ", i)})
		if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
	u, _ := s.Usage(t.Context())
	const no = "cannot store lines"
	if n := strings.Count(log.String(), no); n != 1 || u.Dropped != 3 || !strings.Contains(u.Notice, no) {
		t.Errorf("logged %d times, %+v", n, u)
	}
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	s.Add(telemetry.Entry{Message: "again"})
	page := query(t, s, telemetry.Query{})
	if got := texts(page.Entries); len(got) != 2 || got[0] != "again" || !strings.HasPrefix(got[1], "3 lines were dropped") {
		t.Errorf("%q", got)
	}
	if u := usage(t, s); u.Notice != "" {
		t.Error(u.Notice)
	}
}
