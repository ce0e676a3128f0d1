package telemetry_test

import (
	"fmt"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

func withClock(c *clock) func(*telemetry.Options) {
	return func(o *telemetry.Options) { o.Now = c.Now }
}

// TestRepeatsWithinFiveSecondsAreCounted: the first line is stored at once, equal ones within 5 s of the last are counted, and one entry
// stands for them when no more came for 5 s. What counts is when they arrived, whatever they say themselves.
func TestRepeatsWithinFiveSecondsAreCounted(t *testing.T) {
	c := newClock()
	s := fresh(t, withClock(c))
	add := func(message string) { // as a device whose clock is a day behind and stands still
		s.Add(telemetry.Entry{Time: c.Now().Add(-24 * time.Hour).Truncate(time.Hour), Message: message})
	}
	add("tick")
	say(t, s, "tick", telemetry.Query{})
	for range 3 {
		c.pass(4 * time.Second)
		add("tick")
		say(t, s, "tick", telemetry.Query{})
	}
	c.pass(4 * time.Second)
	say(t, s, "tick", telemetry.Query{})
	c.pass(time.Second)
	say(t, s, "tick, tick ×3", telemetry.Query{})
	add("tick")
	say(t, s, "tick, tick ×3, tick", telemetry.Query{})
	c.pass(5 * time.Second)
	add("tick")
	say(t, s, "tick, tick ×3, tick, tick", telemetry.Query{})
}

func TestRepeatsAreWrittenAfterHundred(t *testing.T) {
	s := fresh(t, withClock(newClock()))
	for range 151 {
		s.Add(telemetry.Entry{Message: "tick"})
	}
	say(t, s, "tick, tick ×100, tick", telemetry.Query{})
}

// TestDifferentLinesAreNotRepeats: only lines that are equal in all but time are; builds and crashes never are.
func TestDifferentLinesAreNotRepeats(t *testing.T) {
	s := fresh(t, withClock(newClock()))
	for _, e := range []telemetry.Entry{
		{}, {Device: "d"}, {App: "a"}, {Process: "p"}, {PID: 1}, {Source: telemetry.Console}, {Level: telemetry.Error},
		{Source: telemetry.Build}, {Source: telemetry.Build}, {Source: telemetry.Crash}, {Source: telemetry.Crash},
	} {
		e.Message = "same"
		s.Add(e)
	}
	if p := query(t, s, telemetry.Query{}); p.Total != 11 {
		t.Error(p.Total)
	}
	s.Add(telemetry.Entry{Message: "same", Subsystem: "another"})
	if p := query(t, s, telemetry.Query{}); p.Total != 11 {
		t.Error(p.Total)
	}
}

// TestCloseWritesCountedRepeats: what is counted is written when the store is closed.
func TestCloseWritesCountedRepeats(t *testing.T) {
	path := t.TempDir() + "/telemetry.db"
	s := at(t, path)
	for range 7 {
		s.Add(telemetry.Entry{Message: "tick"})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, at(t, path), "tick, tick ×6", telemetry.Query{})
}

// TestRepeatMemoryIsBoundedWithoutLoss: what is remembered is bounded, and nothing that was counted is lost.
func TestRepeatMemoryIsBoundedWithoutLoss(t *testing.T) {
	s := fresh(t, withClock(newClock()))
	for range 3 {
		s.Add(telemetry.Entry{Message: "the first"})
	}
	for i := range 10_001 {
		s.Add(telemetry.Entry{Message: fmt.Sprint("line ", i)})
	}
	say(t, s, "the first, the first ×2", telemetry.Query{Search: "FIRST"})
}

// TestCountedRepeatIsWrittenAfterTimeout: nobody asks, and it comes.
func TestCountedRepeatIsWrittenAfterTimeout(t *testing.T) {
	c := newClock()
	s := fresh(t, withClock(c))
	sub := s.Follow(telemetry.Query{})
	for range 2 {
		s.Add(telemetry.Entry{Message: "tick"})
	}
	<-sub.C
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Minute)
	s.Add(telemetry.Entry{Message: "other"}) // wakes it, as time would
	if e := <-sub.C; e.Message != "tick" || e.Count != 1 {
		t.Errorf("%+v", e)
	}
}
