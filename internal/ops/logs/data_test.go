package logs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/builds"
	"ios-agent/test/fakedevice"
)

func TestDataIsShownAndDeleted(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "one")
	s.say(shop, telemetry.Info, "two")
	if err := s.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := logs.NewData(s.deps)
	room := fakedevice.Open(t, data.Ops())
	var got struct {
		Path           string
		Bytes, Entries int64
		KeepForMS      int64 `json:"keep_for_ms"`
		KeepBytes      int64 `json:"keep_bytes"`
	}
	e := room.Must("data_show", `{}`, &got)
	if got.Entries != 2 || got.Bytes == 0 || got.KeepForMS == 0 || got.KeepBytes == 0 || !strings.HasSuffix(got.Path, "telemetry.db") {
		t.Errorf("got %+v, want 2 lines and what is kept", got)
	}
	for _, want := range []string{
		" KB in " + got.Path + ": 2 lines, 0 crashes", ", the oldest of 2026-01-02T", "; kept for ", " days, up to ",
	} {
		if !strings.Contains(e.Stdout, want) {
			t.Errorf("got %q, want %q in it", e.Stdout, want)
		}
	}
	if strings.Contains(e.Stdout, "dropped") {
		t.Errorf("got %q, want nothing dropped", e.Stdout)
	}
	checks := data.Check(t.Context(), nil)
	if len(checks) != 1 || checks[0].Name != "data" || checks[0].Status != "ok" ||
		!strings.Contains(checks[0].Message, " of logs, crashes, builds and requests; kept for ") {
		t.Errorf("got the checks %+v, want that all is well", checks)
	}
	if e := room.Must("data_delete", `{}`, nil); !strings.HasPrefix(e.Stdout, "deleted 2 lines, 0 crashes, builds and requests: ") {
		t.Errorf("got %q, want 2 lines deleted", e.Stdout)
	}
	if e := room.Must("data_show", `{}`, &got); got.Entries != 0 || strings.Contains(e.Stdout, "the oldest") {
		t.Errorf("after: got %+v and %q, want nothing", got, e.Stdout)
	}
}

// TestLogDataReportsRetentionLimits: in the unit that fits.
func TestLogDataReportsRetentionLimits(t *testing.T) {
	for _, c := range []struct {
		keepFor   time.Duration
		keepBytes int64
		want      string
	}{
		{48 * time.Hour, 1 << 30, "; kept for 2 days, up to 1 GB"},
		{36 * time.Hour, 3 << 29, "; kept for 36h0m0s, up to 1.5 GB"},
		{24 * time.Hour, 1 << 20, "; kept for 1 day, up to 1 MB"},
		{24 * time.Hour, 5 << 19, "; kept for 1 day, up to 2.5 MB"},
		{24 * time.Hour, 1<<20 - 1, "; kept for 1 day, up to 1024 KB"},
		{24 * time.Hour, 1025, "; kept for 1 day, up to 2 KB"},
	} {
		store := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db"), KeepFor: c.keepFor, KeepBytes: c.keepBytes})
		room := fakedevice.Open(t, logs.NewData(logs.Deps{Store: store}).Ops())
		if e := room.Must("data_show", `{}`, nil); !strings.HasSuffix(e.Stdout, c.want) {
			t.Errorf("got %q, want %q at its end", e.Stdout, c.want)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLastBuildIsTheNewest(t *testing.T) {
	said := logs.NewSaid(newStand(t).deps)
	if got, err := said.LastBuild(t.Context(), &op.Call{}); got != nil || err != nil {
		t.Errorf("before any: got %+v and %v, want none", got, err)
	}
	for _, scheme := range []string{"Old", "New"} {
		if _, err := said.KeepBuild(t.Context(), builds.Result{Scheme: scheme, Time: noon}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := said.LastBuild(t.Context(), &op.Call{}); err != nil || got == nil || got.Scheme != "New" {
		t.Errorf("got %+v and %v, want the new one", got, err)
	}
}

func TestSourcesAreListed(t *testing.T) {
	s := newStand(t)
	room := fakedevice.Open(t, logs.NewStreams(s.deps).Ops())
	want := "no log is followed; start with " + hint.Do("launch_app", "bundle_id", "APP") + " or " +
		hint.Do("logs_start", "all", true)
	if e := room.Must("log_sources", `{}`, nil); e.Stdout != want {
		t.Errorf("got %q, want that nothing is followed", e.Stdout)
	}
	s.say(shop, telemetry.Info, "one")
	if e := room.Must("log_sources", `{}`, nil); e.Stdout != "log of "+shop+"  streaming, 1 lines" {
		t.Errorf("got %q, want the source with its line", e.Stdout)
	}
	s.feeds[shop].Lose(4, "too fast")
	var got struct {
		Feeds []logs.SourceOut
	}
	e := room.Must("log_sources", `{}`, &got)
	if !strings.Contains(e.Stdout, ", 4 lost") || len(got.Feeds) != 1 || got.Feeds[0].Lost != 4 || got.Feeds[0].UDID != fakedevice.UDID ||
		got.Feeds[0].App != shop || got.Feeds[0].Session != "a" || got.Feeds[0].Type != "log" || got.Feeds[0].Source != "simulator" {
		t.Errorf("got %q and %+v, want the source whole", e.Stdout, got.Feeds)
	}
}
