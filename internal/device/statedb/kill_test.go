package statedb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/device/lease"
)

// victimVariable names the database of a process that is there to be killed.
const victimVariable = "LEASEDB_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victimVariable); path != "" {
		victim(path)
		return
	}
	os.Exit(m.Run())
}

// victim claims and releases without end, one goroutine a device, and says what it was promised and what it is about to
// give up.
func victim(path string) {
	table := lease.NewTable(lease.Options{Journal: open(silent{}, path)})
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	for i := range 4 {
		device := fmt.Sprint("D", i)
		go func() {
			for n := 0; ; n++ {
				holder := fmt.Sprintf("%d-%d", os.Getpid(), n)
				if got, err := table.Acquire(context.Background(), plain(holder, device)); err == nil {
					say("has %s %s %d", device, holder, got[0].Epoch)
					say("gives %s %s %d", device, holder, got[0].Epoch)
					_, _ = table.Release(context.Background(), lease.Who{Holder: holder}, device)
				}
			}
		}()
	}
	select {}
}

// silent is as much of a test as a process needs that will be killed.
type silent struct{ testing.TB }

func (silent) Cleanup(func()) {}

func plain(holder string, among ...string) lease.Request {
	r := request(holder, among...)
	r.Reset = ""
	return r
}

// TestAcknowledgedLeasesSurviveKill: what was acknowledged before a SIGKILL is known after it, and no number is used twice.
func TestAcknowledgedLeasesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	highest := map[string]uint64{}
	for round := range 12 {
		promised := killed(t, path, 40+37*round)
		journal := open(t, path)
		table := lease.NewTable(lease.Options{Journal: journal})
		for device, p := range promised {
			l := get(t, table, device)
			if p.has && (l.Holder != p.holder || l.Epoch != p.epoch) {
				t.Errorf("round %d: %s was promised to %s (%d); now it is %+v", round, device, p.holder, p.epoch, l)
			}
			if p.epoch <= highest[device] || l.Epoch < p.epoch {
				t.Errorf("round %d: %s has the number %d, was promised %d, had %d", round, device, l.Epoch, p.epoch, highest[device])
			}
			highest[device] = max(l.Epoch, p.epoch)
			if l.Held() {
				if _, err := table.Release(t.Context(), lease.Who{Holder: l.Holder}, device); err != nil {
					t.Error(err)
				}
			}
		}
		if err := errors.Join(table.Close(), journal.store.Close()); err != nil {
			t.Error(err)
		}
	}
}

type promise struct {
	has    bool // acknowledged, and not about to be given up
	holder string
	epoch  uint64
}

// killed runs a victim until it has said so many lines, and kills it.
func killed(t *testing.T, path string, lines int) map[string]promise {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	promised := map[string]promise{}
	n := 0
	for said := bufio.NewScanner(pipe); said.Scan(); n++ {
		if n == lines {
			if err := cmd.Process.Kill(); err != nil { // the pipe still holds what it said last
				t.Fatal(err)
			}
		}
		words := strings.Fields(said.Text())
		if len(words) != 4 {
			continue // it died in the middle of a word
		}
		epoch, err := strconv.ParseUint(words[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		promised[words[1]] = promise{words[0] == "has", words[2], epoch}
	}
	_ = cmd.Wait() // killed, as it should be
	if n < lines || len(promised) != 4 {
		t.Fatalf("it said only %d lines: %v", n, promised)
	}
	return promised
}
