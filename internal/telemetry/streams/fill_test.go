package streams_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// keeper is a phone whose system keeps its log: the lines that the file kept has.
type keeper struct {
	*phone
	mu    sync.Mutex
	asked []time.Time // since when
	err   error       // after the lines
	hold  chan struct{}
}

var _ device.PastLog = (*keeper)(nil)

func (k *keeper) ShowLog(ctx context.Context, what device.LogFilter, since time.Time, line func(string)) error {
	k.mu.Lock()
	k.asked = append(k.asked, since)
	k.mu.Unlock()
	if k.hold != nil {
		select {
		case <-k.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	text, _ := os.ReadFile(filepath.Join(k.dir, "kept"))
	for one := range strings.Lines("Filtering the log data using \"x\"\n" + string(text)) {
		line(strings.TrimSuffix(one, "\n"))
	}
	line(`{"count":1,"finished":1}`)
	return k.err
}

func (r *rig) keeps() *keeper { return &keeper{phone: r.phone} }

func (r *rig) kept(lines ...string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.phone.dir, "kept"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// at is an event of so long ago.
func (r *rig) at(ago time.Duration, message string) string {
	when := r.clock().Add(-ago).Format("2006-01-02 15:04:05.000000-0700")
	return strings.Replace(event(message, ""), "2026-01-02 15:04:05.123456+0100", when, 1)
}

// filled follows an app and waits until its past is there.
func (r *rig) filled(k *keeper, ask streams.Request) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), hang)
	defer cancel()
	ask.Owner = owner("ann")
	if err := r.Follow(k, ask).Begun(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.Filled(ctx, "PHONE-1", shop)
}

// awaitAll waits until the store has lines, in any order, and no others.
func (r *rig) awaitAll(want ...string) {
	r.t.Helper()
	late := time.NewTimer(hang)
	defer late.Stop()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		said := r.said()
		count := map[string]int{}
		for _, one := range said {
			count[one]++
		}
		for _, one := range want {
			count[one]--
		}
		same := true
		for _, n := range count {
			same = same && n == 0
		}
		if same {
			return
		}
		select {
		case <-again.C:
		case <-late.C:
			r.t.Fatalf("said %q, want %q", said, want)
		}
	}
}

// TestEarlierLinesAreFilledInOnce are filled in, once: what the stream brings too is not taken again, and what was said twice is there
// twice.
func TestEarlierLinesAreFilledInOnce(t *testing.T) {
	r := newRig(t)
	again := r.at(500*time.Millisecond, "both")
	r.kept(r.at(3*time.Minute, "too old"), r.at(time.Minute, "early"), again, strings.Replace(again, `"both"`, `"only kept"`, 1))
	r.lines(again, r.at(0, "live"))
	k := r.keeps()
	r.filled(k, streams.Request{App: shop})
	r.awaitAll("early", "only kept", "both", "live")
	if since := r.clock().Sub(k.asked[0]); len(k.asked) != 1 || since != 2*time.Minute {
		t.Errorf("asked for %s", since)
	}
	for _, e := range r.all() {
		if e.App != shop || e.Device != "PHONE-1" || e.Count != 1 {
			t.Errorf("%+v", e)
		}
	}
}

func (r *rig) all() []telemetry.Entry {
	r.t.Helper()
	page, err := r.store.Query(r.t.Context(), telemetry.Query{Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	return page.Entries
}

// TestLateStreamLineIsNotStoredTwice than the past does is not taken again either.
func TestLateStreamLineIsNotStoredTwice(t *testing.T) {
	r := newRig(t, "echo Filtering; while [ ! -e go ]; do sleep 0.01; done; cat lines; exec sleep 1000")
	both := r.at(100*time.Millisecond, "both")
	r.kept(both)
	r.lines(both, r.at(0, "live"))
	r.filled(r.keeps(), streams.Request{App: shop})
	r.awaitAll("both")
	if err := os.WriteFile(filepath.Join(r.phone.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.awaitAll("both", "live")
}

// TestLaunchFillsInOnlyItsOwnLines: what the app said before it was launched is not new.
func TestLaunchFillsInOnlyItsOwnLines(t *testing.T) {
	r := newRig(t)
	r.kept(r.at(time.Second, "of the instance before"), r.at(-time.Millisecond, "launched"))
	r.filled(r.keeps(), streams.Request{App: shop, Launch: true})
	r.awaitAll("launched")
}

// TestStreamStartsBeforeFillEnds: the stream is there while the system is still asked.
func TestStreamStartsBeforeFillEnds(t *testing.T) {
	r := newRig(t)
	k := r.keeps()
	k.hold = make(chan struct{})
	r.kept(r.at(time.Second, "early"))
	r.lines(r.at(0, "live"))
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if err := r.Follow(k, streams.Request{Owner: owner("ann"), App: shop}).Begun(ctx); err != nil {
		t.Fatal(err)
	}
	r.await("live")
	close(k.hold)
	r.await("early")
}

// TestFillClosesGapAfterRestart: a stream that is begun again lacks nothing that the system kept, and says nothing then.
func TestFillClosesGapAfterRestart(t *testing.T) {
	r := newRig(t, "echo Filtering; cat first; while [ ! -e die ]; do sleep 0.01; done; exit 3", forever)
	r.kept("")
	before := r.at(time.Second, "before")
	if err := os.WriteFile(filepath.Join(r.phone.dir, "first"), []byte(before+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.filled(r.keeps(), streams.Request{App: shop})
	r.await("before")
	r.kept(before, r.at(500*time.Millisecond, "between"), r.at(400*time.Millisecond, "between"))
	r.lines(r.at(0, "after"))
	if err := os.WriteFile(filepath.Join(r.phone.dir, "die"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.awaitAll("before", "between", "after") // the second one waits to be counted
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	r.Filled(ctx, "PHONE-1", shop)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	said := r.said()
	for _, one := range said {
		if strings.Contains(one, "missing") {
			t.Errorf("%q", said)
		}
	}
	if n := strings.Count(strings.Join(said, "|"), "before"); n != 1 {
		t.Errorf("%q", said)
	}
}

// TestUnfilledGapBecomesEntry is said, with the reason.
func TestUnfilledGapBecomesEntry(t *testing.T) {
	many := func(r *rig) (lines []string) {
		for i := range 5003 {
			lines = append(lines, r.at(time.Minute, fmt.Sprintf("line %d", i)))
		}
		return lines
	}
	for name, c := range map[string]struct {
		ready func(*rig, *keeper)
		want  string
	}{
		"it cannot be asked": {func(_ *rig, k *keeper) { k.err = errors.New("spawn failed") },
			"reading them from the system failed: spawn failed"},
		"too many": {func(r *rig, _ *keeper) { r.kept(many(r)...) }, "3 lines are missing here: the app logged them before the stream"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			k := r.keeps()
			c.ready(r, k)
			r.filled(k, streams.Request{App: shop})
			r.said()
			all := r.all()
			if e := all[len(all)-1]; !strings.Contains(e.Message, c.want) || e.Level != telemetry.Warning || e.App != shop {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestOldGapBecomesEntry: what was logged before the time that is asked for is missing.
func TestOldGapBecomesEntry(t *testing.T) {
	r := newRig(t, alive)
	k := r.keeps()
	r.filled(k, streams.Request{App: shop})
	r.pass(streams.Idle)
	r.Sweep()
	r.status("log-PHONE-1", "stopped")
	r.pass(time.Hour)
	r.kept(r.at(time.Minute, "lately"))
	r.Heard("ann", "PHONE-1", true)
	r.await("lately")
	if e := r.await("missing"); !strings.Contains(e.Message, "the system's lines since") {
		t.Error(e.Message)
	}
}

// TestNextDaemonResumesOutput where the one before ended: lines that are stored are not filled in again, and one that was stored with its
// repeats stands for all of them.
func TestNextDaemonResumesOutput(t *testing.T) {
	r := newRig(t)
	one, tick := r.at(20*time.Second, "one"), r.at(10*time.Second, "tick")
	ticks := []string{one, tick, r.at(9*time.Second, "tick"), r.at(8*time.Second, "tick")}
	r.lines(ticks...)
	r.launched("ann", 77, r.output("ann"), true)
	r.filled(r.keeps(), streams.Request{App: shop})
	r.await("one")
	r.await("tick")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Close(); err != nil { // the repeats are written at its end
		t.Fatal(err)
	}
	r.reopen()
	r.kept(append(ticks, r.at(time.Second, "meanwhile"))...)
	r.lines(r.at(0, "live"))
	r.Resume(r.keeps(), streams.Request{Owner: owner("bob"), App: shop})
	r.await("meanwhile")
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	r.Filled(ctx, "PHONE-1", shop)
	r.awaitAll("one", "tick", "tick", "meanwhile", "live")
}

// TestReaderResumesLastLogs, with what they were followed with, also by the next daemon; not what was stopped.
func TestReaderResumesLastLogs(t *testing.T) {
	r := newRig(t)
	k := r.keeps()
	r.filled(k, streams.Request{App: shop, Level: device.LogDebug, Subsystems: []string{"b", "a"}})
	r.follow("ann", "com.example.Other", "")
	r.follow("ann", "com.example.Third", "")
	r.Stop(owner("ann"), "com.example.Third")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.pass(time.Minute)
	r.open()
	if app := r.Resume(k, streams.Request{Owner: owner("bob")}); app != shop && app != "com.example.Other" {
		t.Errorf("%q", app)
	}
	r.status("log-PHONE-1-com.example.Shop-debug-a+b", "streaming")
	r.status("log-PHONE-1-com.example.Other", "streaming")
	for _, s := range r.store.Sources() {
		if s.Status == "streaming" && s.App == "com.example.Third" || s.Session == "" {
			t.Errorf("%+v", s)
		}
	}
	if app := r.Resume(k, streams.Request{Owner: owner("cat")}); app != "" {
		t.Errorf("%q is resumed twice", app)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.pass(25 * time.Hour)
	r.open()
	if app := r.Resume(k, streams.Request{Owner: owner("bob")}); app != "" {
		t.Errorf("%q of yesterday is resumed", app)
	}
}
