package telemetry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
)

func TestCursorEncodesNumberAndRefusesInvalid(t *testing.T) {
	if got := telemetry.EncodeCursor(1770560000123456); got != "c_AAZKUJ_cYkA" {
		t.Error(got)
	}
	for _, n := range []int64{0, 1, 1770560000123456, 1<<63 - 1} {
		if got, err := telemetry.ParseCursor(telemetry.EncodeCursor(n)); err != nil || got != n {
			t.Error(n, got, err)
		}
	}
	for _, text := range []string{"", "c_", "c_AAZKUJ_cYk", "AAZKUJ_cYkA", "c_AAZKUJ_cYkA=", "c_!!!!!!!!!!!",
		"c_AAZKUJ_cYkB", "c__________8"} {
		_, err := telemetry.ParseCursor(text)
		var no *telemetry.CursorError
		if !errors.As(err, &no) || fault.From(err).Code != fault.InvalidInput {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSummaryCountsIssuesByPattern: counts with repeats, kinds by pattern and process, what is resolved, without noise, in words.
func TestSummaryCountsIssuesByPattern(t *testing.T) {
	s := fresh(t)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	add := func(process string, level telemetry.Level, message string, count int) {
		at = at.Add(time.Second)
		s.Add(telemetry.Entry{Time: at, Process: process, Level: level, Message: message, Count: count})
	}
	add("Shop", telemetry.Error, "request 1 failed", 1)
	add("Shop", telemetry.Error, "request 2 failed", 3)
	add("Other", telemetry.Fault, "out of memory at 0x10", 1)
	add("Shop", telemetry.Info, "unsuccessfully connectedness", 1)
	add("Other", telemetry.Error, "boringssl_context_error_print", 7)
	add("Shop", telemetry.Notice, "Request SUCCEEDED.", 1)
	add("Shop", telemetry.Warning, "slow: 12.5 s", 2)
	add("Shop", telemetry.Error, "decoding failed", 1)
	sum, err := s.Summarize(t.Context(), telemetry.Query{}, "5m")
	if err != nil {
		t.Fatal(err)
	}
	if sum.Total != 17 || sum.Errors != 6 || sum.Warnings != 2 || sum.Noise != 7 || sum.Last != 8 {
		t.Errorf("%+v", sum)
	}
	var got []string
	for _, i := range sum.Issues {
		got = append(got, fmt.Sprintf("%s: %s %s ×%d %v %v", i.Process, i.Level, i.Pattern, i.Count, i.Last.Sub(i.First), i.Resolved))
	}
	want := `Shop: error request <N> failed ×4 1s true
Shop: warning slow: <N> s ×2 0s false
Other: fault out of memory at <HEX> ×1 0s false
Shop: error decoding failed ×1 0s false`
	if strings.Join(got, "\n") != want {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	prose := "The system logged 17 entries in the last 5m. Unresolved errors: out of memory at <HEX> (1x), decoding failed (1x). " +
		"1 kind of error was resolved: request <N> failed (4x). Warnings: slow: <N> s (2x). 7 lines of known noise are left out."
	if sum.Prose != prose {
		t.Errorf("%s", sum.Prose)
	}
	for want, q := range map[string]telemetry.Query{
		"No log entries of Nobody in the last 5m.":                                           {Process: "Nobody"},
		"Shop logged 2 entries in the last 5m. No errors detected.":                          {Process: "Shop", After: 3, Upto: 6},
		"The system logged 1 entry in the last 5m. Unresolved errors: decoding failed (1x).": {After: 7},
	} {
		if sum, err := s.Summarize(t.Context(), q, "5m"); err != nil || sum.Prose != want {
			t.Errorf("%v\n got %s\nwant %s", err, sum.Prose, want)
		}
	}
	if page := query(t, s, telemetry.Query{WithoutNoise: true}); page.Total != 7 {
		t.Error(texts(page.Entries))
	}
}

// TestErrorIsResolvedOnlyBySameSource: another phone, another app and another category say nothing about it, and an error that two
// phones told is over when both say so.
func TestErrorIsResolvedOnlyBySameSource(t *testing.T) {
	failed := telemetry.Entry{
		Device: "A", App: "com.example.shop", Process: "Shop", Category: "orders", Level: telemetry.Error, Message: "failed",
	}
	well := failed
	well.Level, well.Message = telemetry.Notice, "finished successfully, status 200"
	of := func(e telemetry.Entry, change func(*telemetry.Entry)) telemetry.Entry {
		change(&e)
		return e
	}
	onB := func(e *telemetry.Entry) { e.Device = "B" }
	for what, c := range map[string]struct {
		said []telemetry.Entry
		want bool
	}{
		"the same":         {[]telemetry.Entry{failed, well}, true},
		"before":           {[]telemetry.Entry{well, failed}, false},
		"another phone":    {[]telemetry.Entry{failed, of(well, onB)}, false},
		"another app":      {[]telemetry.Entry{failed, of(well, func(e *telemetry.Entry) { e.App = "com.example.other" })}, false},
		"another category": {[]telemetry.Entry{failed, of(well, func(e *telemetry.Entry) { e.Category = "sign-in" })}, false},
		"another process":  {[]telemetry.Entry{failed, of(well, func(e *telemetry.Entry) { e.Process = "Helper" })}, false},
		"one of two":       {[]telemetry.Entry{failed, of(failed, onB), well}, false},
		"both of two":      {[]telemetry.Entry{failed, of(failed, onB), of(well, onB), well}, true},
	} {
		s := fresh(t)
		for _, e := range c.said {
			s.Add(e)
		}
		sum, err := s.Summarize(t.Context(), telemetry.Query{}, "5m")
		if err != nil || len(sum.Issues) != 1 || sum.Issues[0].Resolved != c.want {
			t.Errorf("%s: got %+v and %v, want one issue, resolved: %v", what, sum.Issues, err, c.want)
		}
	}
}

// TestSummaryCountsRepeatsOfTheLastSeconds: a line that is only counted yet counts, and it counts once.
func TestSummaryCountsRepeatsOfTheLastSeconds(t *testing.T) {
	c := newClock()
	s := fresh(t, withClock(c))
	for level, times := range map[telemetry.Level]int{telemetry.Error: 3, telemetry.Warning: 2, telemetry.Info: 4} {
		for range times {
			s.Add(telemetry.Entry{Process: "Shop", Level: level, Message: "tick"})
		}
	}
	for range 2 {
		sum, err := s.Summarize(t.Context(), telemetry.Query{}, "")
		if err != nil || sum.Errors != 3 || sum.Warnings != 2 || sum.Total != 9 {
			t.Errorf("got %d errors, %d warnings of %d lines and %v; want 3 and 2 of 9", sum.Errors, sum.Warnings, sum.Total, err)
		}
		later, err := s.Summarize(t.Context(), telemetry.Query{After: sum.Last}, "")
		if err != nil || later.Total != 0 {
			t.Errorf("after its last number: got %d lines and %v, want none", later.Total, err)
		}
		c.pass(time.Minute)
	}
}

func TestNoiseRecognizesSystemMessages(t *testing.T) {
	for _, text := range []string{
		"Sandbox: Shop(12) deny(1) mach-lookup com.apple.x", "nw_path_evaluator_evaluate_block", "TIC TCP Conn Event [1:0x6]",
		"AMFI: signature not valid", "CoreData: annotation: ok", "Metal API Validation Enabled", "boringssl_x", "SecTrustEvaluate error -1",
	} {
		if !telemetry.Noise(text) {
			t.Error(text)
		}
	}
	for _, text := range []string{"", "connection denied by sandbox", "the topic of the event"} {
		if telemetry.Noise(text) {
			t.Error(text)
		}
	}
}
