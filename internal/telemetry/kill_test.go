package telemetry_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// ingest stores lines for ever, and prints how many have been for a second.
func ingest(path string) {
	s := telemetry.New(telemetry.Options{Path: path})
	type batch struct {
		lines int
		at    time.Time
	}
	var waiting []batch
	for i := 1; ; i++ {
		s.Add(telemetry.Entry{Message: fmt.Sprint("line ", i), Raw: strings.Repeat("raw", 20)})
		if i%100 != 0 {
			continue
		}
		waiting = append(waiting, batch{i, time.Now()})
		for len(waiting) > 0 && time.Since(waiting[0].at) > time.Second {
			fmt.Println(waiting[0].lines)
			waiting = waiting[1:]
		}
		time.Sleep(time.Millisecond)
	}
}

// TestKilledWhileItStores: what was added a second before a kill -9 is there, numbers go on, and the store says that some may be
// missing. What is ended well says nothing.
func TestKilledWhileItStores(t *testing.T) {
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
	safe := 0
	for lines := bufio.NewScanner(out); safe < 1000 && lines.Scan(); {
		if _, err := fmt.Sscan(lines.Text(), &safe); err != nil {
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
		t.Errorf("%d lines are there, %d were added a second before", page.Total, safe)
	}
	end := page.Entries[len(page.Entries)-1]
	if end.Source != telemetry.Server || end.Level != telemetry.Warning || !strings.Contains(end.Message, "ended without closing the store") {
		t.Errorf("%+v", end)
	}
	if int64(page.Total) != end.Number || u(t, s) != page.Total {
		t.Errorf("%d lines, the last is %d", page.Total, end.Number)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := query(t, at(t, path), telemetry.Query{}); again.Total != page.Total {
		t.Errorf("it was ended well and says: %v", texts(again.Entries[99:]))
	}
}

func u(t *testing.T, s *telemetry.Store) int { return int(usage(t, s).Entries) }
