package quern

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// heard is what a follower told, an event a line.
type heard struct {
	mu    sync.Mutex
	lines []string
	after int // refuses what comes after so many, as a client that is gone
}

func (h *heard) emit(item any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	raw, err := json.Marshal(item)
	if err == nil && h.after > 0 && len(h.lines) == h.after {
		err = errors.New("gone")
	}
	if err == nil {
		h.lines = append(h.lines, op.EventName(item)+" "+string(raw))
	}
	return err
}

func (h *heard) want(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, line := range h.lines {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", h.lines, want)
	}
}

// TestLogStreamSendsHeartbeatWhenIdle: at once, then 15 seconds after the last event, and not while entries come.
func TestLogStreamSendsHeartbeatWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entries, h := make(chan telemetry.Entry), &heard{}
		f := &follower{
			entries: entries, lost: func() int64 { return 0 }, stored: func() (int64, error) { return 7, nil }, now: time.Now, emit: h.emit,
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.run(ctx) }()
		synctest.Wait()
		h.want(t, "heartbeat")
		for range 4 { // 40 seconds in which something is logged every ten
			time.Sleep(10 * time.Second)
			entries <- telemetry.Entry{Number: 5, Message: "hello"}
		}
		synctest.Wait()
		h.want(t, "heartbeat", "log", "log", "log", "log")
		time.Sleep(heartbeatAfter - time.Second)
		synctest.Wait()
		h.want(t, "heartbeat", "log", "log", "log", "log")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h.want(t, "heartbeat", "log", "log", "log", "log", "heartbeat")
		time.Sleep(heartbeatAfter)
		synctest.Wait()
		h.want(t, "heartbeat", "log", "log", "log", "log", "heartbeat", "heartbeat")
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("a client that leaves is no error: %v", err)
		}
		var beat struct {
			Time   time.Time
			Stored int `json:"buffer_size"`
		}
		_, data, _ := strings.Cut(h.lines[5], " ")
		if err := json.Unmarshal([]byte(data), &beat); err != nil || beat.Stored != 7 || beat.Time.IsZero() {
			t.Errorf("%s: %v", data, err)
		}
	})
}

// TestLogStreamReportsLostEntries: before the next entry, once, and with the number of those that are missing.
func TestLogStreamReportsLostEntries(t *testing.T) {
	entries, lost, h := make(chan telemetry.Entry, 2), int64(0), &heard{}
	f := &follower{
		entries: entries, lost: func() int64 { return lost }, stored: func() (int64, error) { return 0, nil }, now: time.Now, emit: h.emit,
	}
	lost = 3
	entries <- telemetry.Entry{Number: 9, Message: "after the gap"}
	entries <- telemetry.Entry{Number: 10, Message: "and one more"}
	close(entries)
	if err := f.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.want(t, "heartbeat", "lost", "log", "log")
	var told struct{ Lost int }
	_, data, _ := strings.Cut(h.lines[1], " ")
	if err := json.Unmarshal([]byte(data), &told); err != nil || told.Lost != 3 {
		t.Errorf("%s: %v", data, err)
	}
}

// TestLogStreamEndsWhenEventCannotBeSent: an event that cannot be sent is the end.
func TestLogStreamEndsWhenEventCannotBeSent(t *testing.T) {
	for after := 1; after < 4; after++ {
		entries, h := make(chan telemetry.Entry, 10), &heard{after: after}
		for n := range 10 {
			entries <- telemetry.Entry{Message: fmt.Sprint(n)}
		}
		f := &follower{
			entries: entries, lost: func() int64 { return 0 }, stored: func() (int64, error) { return 0, nil }, now: time.Now, emit: h.emit,
		}
		if err := f.run(t.Context()); err == nil || len(h.lines) != after {
			t.Errorf("after %d: %v, %d events", after, err, len(h.lines))
		}
	}
}
