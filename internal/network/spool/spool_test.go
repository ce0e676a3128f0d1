package spool_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/spool"
)

// TestMain plays the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("IOS_AGENT_TEST_SPOOL"); dir != "" {
		flood(dir)
	}
	os.Exit(m.Run())
}

func some(i int) flow.Flow {
	return flow.Flow{
		ID: fmt.Sprintf("f_%012x", i), State: flow.Done, Started: time.Unix(int64(i), 0).UTC(),
		Request: flow.Request{Method: "GET", URL: fmt.Sprintf("https://shop.example/%d", i), Protocol: "HTTP/1.1",
			Header: flow.Header{{Name: "Accept", Value: "a"}, {Name: "Accept", Value: "b"}}, Body: flow.Body{Content: []byte{0, 1, 255, '\n', '"'}}},
		Response: &flow.Response{Status: 200, Body: flow.Body{Content: bytes.Repeat([]byte("x"), 300)}},
	}
}

func writer(t *testing.T, o spool.Options) *spool.Writer {
	t.Helper()
	w, err := spool.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// readAll reads in small parts until there is nothing more.
func readAll(t *testing.T, r *spool.Reader) (all []flow.Flow, dropped int64, torn int) {
	t.Helper()
	for {
		b, err := r.Next(7, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all, dropped, torn = append(all, b.Flows...), dropped+b.Dropped, torn+b.Torn
		if err := r.Forget(b.End); err != nil {
			t.Fatal(err)
		}
		if !b.More {
			return all, dropped, torn
		}
	}
}

// TestReaderGetsEveryFlowOnceInOrder: over many segments and several writers. Read segments are removed, and a second reader
// continues at the position of the first.
func TestReaderGetsEveryFlowOnceInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	var want, got []flow.Flow
	var at spool.Position
	n := 0
	for range 4 {
		w := writer(t, spool.Options{Dir: dir, SegmentBytes: 5_000})
		for range 5 {
			for range 1 + rand.IntN(40) {
				n++
				want = append(want, some(n))
				w.Tell(some(n))
			}
			w.Flush()
			r := spool.NewReader(dir, at)
			b, err := r.Next(rand.IntN(60), int64(rand.IntN(50_000)))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Forget(b.End); err != nil {
				t.Fatal(err)
			}
			got, at = append(got, b.Flows...), b.End
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rest, dropped, torn := readAll(t, spool.NewReader(dir, at))
	got = append(got, rest...)
	if dropped != 0 || torn != 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d flows of %d, %d dropped, %d torn", len(got), len(want), dropped, torn)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d segments are left: %v", len(left), err)
	}
}

// TestSpoolFilesArePrivate: the folder 0700, the segments 0600.
func TestSpoolFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	writer(t, spool.Options{Dir: dir})
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLaterRecordReplacesQueuedOne: of two records of a flow before a write, only the later is written; it is never lost.
func TestLaterRecordReplacesQueuedOne(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, spool.Options{Dir: dir})
	for i := range 500 {
		f := some(1)
		f.Told = i
		w.Tell(f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all, _, _ := readAll(t, spool.NewReader(dir, spool.Position{}))
	if len(all) == 0 || len(all) == 500 || all[len(all)-1].Told != 499 {
		t.Errorf("%d records, the last is %+v", len(all), all[len(all)-1])
	}
}

// TestReaderSkipsTornLines: a line without its end is waited for while its writer may live, and left out when a later segment shows that it
// is gone. Garbage between lines is counted and harms no other.
func TestReaderSkipsTornLines(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, spool.Options{Dir: dir})
	w.Tell(some(1))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	whole, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.ReplaceAll(whole, []byte("f_000000000001"), []byte("f_000000000002"))
	r := spool.NewReader(dir, spool.Position{})
	for cut := 0; cut < len(other); cut += 1 + cut%13 { // as if it were written bit by bit
		if err := os.WriteFile(found[0], append(bytes.Clone(whole), other[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := r.Next(10, 1<<20)
		if err != nil || b.Torn > 0 || (cut == 0) != (len(b.Flows) == 1) {
			t.Fatalf("cut at %d: %+v %v", cut, b, err)
		}
	}
	garbage := fmt.Sprintf("%s\x00\x01{\n\n{}\n%s\n%s", whole, strings.Repeat("y", 17<<20), other)
	if err := os.WriteFile(found[0], []byte(garbage+string(other[:len(other)/2])), 0o600); err != nil {
		t.Fatal(err)
	}
	w = writer(t, spool.Options{Dir: dir})
	w.Tell(some(3))
	w.Flush()
	all, _, torn := readAll(t, r)
	if len(all) != 2 || all[0].ID != some(2).ID || all[1].ID != some(3).ID || torn != 5 {
		t.Errorf("%d flows, %d torn", len(all), torn)
	}
}

// TestFullSpoolCountsDroppedFlows: beyond its limit the spool drops flows, and records their number once it has room again.
func TestFullSpoolCountsDroppedFlows(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, spool.Options{Dir: dir, SegmentBytes: 10_000, MostBytes: 50_000})
	for i := range 2_000 {
		w.Tell(some(i))
	}
	w.Flush()
	lost, err := w.Lost()
	if lost == 0 || err == nil {
		t.Fatalf("lost = %d with error %v, want some and an error", lost, err)
	}
	all, _, _ := readAll(t, spool.NewReader(dir, spool.Position{}))
	w.Tell(some(5_000))
	w.Flush()
	if lost, err := w.Lost(); err != nil {
		t.Errorf("after the spool was read: error %v with %d lost flows, want success", err, lost)
	}
	rest, dropped, _ := readAll(t, spool.NewReader(dir, spool.Position{}))
	seen := map[string]bool{}
	for _, f := range append(all, rest...) {
		seen[f.ID] = true
	}
	if !seen[some(5_000).ID] || dropped != lost || int64(len(seen))+dropped < 2_001 {
		t.Errorf("got %d flows and %d recorded drops, want %d drops and 2001 in all", len(seen), dropped, lost)
	}
}

// TestFlowsAfterDeletionAreStored: flows after a deletion are stored.
func TestFlowsAfterDeletionAreStored(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, spool.Options{Dir: dir})
	w.Tell(some(1))
	w.Flush()
	r := spool.NewReader(dir, spool.Position{})
	if all, _, _ := readAll(t, r); len(all) != 1 {
		t.Fatal(all)
	}
	if err := spool.Remove(dir); err != nil {
		t.Fatal(err)
	}
	w.Tell(some(2))
	w.Flush()
	if all, _, _ := readAll(t, r); len(all) != 1 || all[0].ID != some(2).ID {
		t.Error(all)
	}
}

// flood tells flows for ever and prints the number of each that surely is written.
func flood(dir string) {
	w, err := spool.NewWriter(spool.Options{Dir: dir, SegmentBytes: 64 << 10})
	if err != nil {
		panic(err)
	}
	for i := 1; ; i++ {
		w.Tell(some(i))
		if i%10 == 0 {
			w.Flush()
			fmt.Println(i)
		}
	}
}

// TestFlowsSurviveKillWhileWriting: flows written before a kill -9 are read once each, followed by the next writer's.
func TestFlowsSurviveKillWhileWriting(t *testing.T) {
	dir := t.TempDir()
	r, all := spool.NewReader(dir, spool.Position{}), []flow.Flow(nil)
	for range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "IOS_AGENT_TEST_SPOOL="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		safe := 0
		for lines := bufio.NewScanner(out); safe < 1_000 && lines.Scan(); {
			if _, err := fmt.Sscan(lines.Text(), &safe); err != nil {
				t.Error(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		w := writer(t, spool.Options{Dir: dir})
		w.Tell(some(1 << 30))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all, _, _ = readAll(t, r)
		if len(all) < safe+1 || all[len(all)-1].ID != some(1<<30).ID {
			t.Fatalf("%d flows are there, %d were written", len(all), safe)
		}
		for i, f := range all[:len(all)-1] {
			if f.ID != some(i+1).ID {
				t.Fatalf("flow %d is %s", i+1, f.ID)
			}
		}
	}
}

// TestFlowFloodUsesLittleMemory: flows that come faster than the disk takes them do not grow the writer beyond its queue.
func TestFlowFloodUsesLittleMemory(t *testing.T) {
	w := writer(t, spool.Options{Dir: t.TempDir(), MostBytes: 1 << 20})
	f := some(1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	for i := range 60_000 {
		f.ID = fmt.Sprintf("f_%012x", i)
		f.Request.Body.Content, f.Response = make([]byte, 5_000), &flow.Response{Status: 200}
		w.Tell(f)
		if i%15_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc)
		}
	}
	if most > before.HeapAlloc+100<<20 {
		t.Errorf("it grew by %d MB", (most-before.HeapAlloc)>>20)
	}
	w.Flush()
	if lost, _ := w.Lost(); lost == 0 {
		t.Error("nothing was dropped: this was no flood")
	}
}
