package telemetry_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

// TestMain plays the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("IOS_AGENT_TEST_INGEST"); path != "" {
		ingest(path)
	}
	os.Exit(m.Run())
}

// ingest stores lines for ever. Of some that are stored it prints the number, and how long that took since they were added.
func ingest(path string) {
	s := telemetry.New(telemetry.Options{Path: path})
	stored := s.Follow(telemetry.Query{Search: "00 is told"})
	go func() {
		for e := range stored.C {
			fmt.Println(e.Number, time.Since(e.Time).Milliseconds())
		}
	}()
	i := 0
	for range time.Tick(time.Millisecond) {
		for range 5 {
			i++
			s.Add(telemetry.Entry{Message: fmt.Sprintf("line %d is told", i), Raw: strings.Repeat("raw", 20)})
		}
	}
}

// TestStoredLinesSurviveKill: lines are stored within a second, what was stored before a kill -9 is there, and the store says that some may
// be missing. What is ended well says nothing.
func TestStoredLinesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "IOS_AGENT_TEST_INGEST="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	safe, took := 0, []int(nil)
	for lines := bufio.NewScanner(out); safe < 3000 && lines.Scan(); {
		took = append(took, 0)
		if _, err := fmt.Sscan(lines.Text(), &safe, &took[len(took)-1]); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	s := at(t, path)
	page := query(t, s, telemetry.Query{})
	if page.Total < safe+1 { // and the one that says it
		t.Errorf("%d lines are there, %d were stored", page.Total, safe)
	}
	if slices.Sort(took); len(took) == 0 || took[len(took)/2] > 1000 {
		t.Errorf("it took %v ms until lines were stored", took)
	}
	end := page.Entries[len(page.Entries)-1]
	if end.Source != telemetry.Server || end.Level != telemetry.Warning || !strings.Contains(end.Message, "ended without closing the store") {
		t.Errorf("%+v", end)
	}
	if told := query(t, s, telemetry.Query{Search: "TOLD"}).Total; told != page.Total-1 {
		t.Errorf("%d lines are found, of %d", told, page.Total-1)
	}
	if int64(page.Total) != end.Number {
		t.Errorf("%d lines, the last is %d", page.Total, end.Number)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := query(t, at(t, path), telemetry.Query{}); again.Total != page.Total {
		t.Errorf("it was ended well and says: %v", texts(again.Entries[99:]))
	}
}
