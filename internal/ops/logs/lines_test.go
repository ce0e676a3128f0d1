package logs_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/op"
	"ios-agent/internal/op/answers"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/telemetry"
	"ios-agent/test/fakedevice"
)

// noon is the time of the first line; each one comes a second later.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const shop = "com.example.shop"

// stand is a store that a test fills, and a phone with two apps.
type stand struct {
	*fakedevice.Room
	store *telemetry.Store
	deps  logs.Deps
	lines int
	feeds map[string]*telemetry.Feed
}

// phone is one whose apps have names.
type phone struct{ *fakedevice.Paper }

func (phone) List(context.Context) ([]device.App, error) {
	return []device.App{{Bundle: shop, Name: "Shop"}, {Bundle: "com.example.maps", Name: "Maps"}}, nil
}
func (phone) Uninstall(context.Context, string) error { return nil }

func newStand(t *testing.T) *stand {
	t.Helper()
	dir := t.TempDir()
	now := func() time.Time { return noon.Add(time.Hour) }
	s := &stand{
		store: telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db"), Now: now}), feeds: map[string]*telemetry.Feed{},
	}
	flows := capture.New(capture.Options{Store: s.store, Spool: filepath.Join(dir, "spool"), Bodies: filepath.Join(dir, "bodies"), Now: now})
	t.Cleanup(func() {
		if err := errors.Join(flows.Close(), s.store.Close()); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	s.deps = logs.Deps{
		Access: fakedevice.Reach(t, phone{&fakedevice.Paper{}}), Store: s.store, Flows: flows, Steps: steps.New(steps.Options{}), Now: now,
		Answers: answers.In(filepath.Join(dir, "answers"), now),
	}
	s.Room = fakedevice.Open(t, logs.NewLines(s.deps).Ops())
	return s
}

// say has an app of the phone say something, at a level.
func (s *stand) say(app string, level telemetry.Level, message string) {
	if s.feeds[app] == nil {
		s.feeds[app] = s.store.Open(telemetry.State{
			ID: "log of " + app, Type: "log", Source: telemetry.Simulator, Device: fakedevice.UDID, App: app, Session: "a",
		})
	}
	s.feeds[app].Add(telemetry.Entry{
		Time: noon.Add(time.Duration(s.lines) * time.Second), Level: level, Message: message, Process: strings.TrimPrefix(app, "com.example."),
		PID: 7, Subsystem: app, Category: "net",
	})
	s.lines++
}

func messages(out logs.LogsOut) string {
	var all []string
	for _, l := range out.Lines {
		all = append(all, l.Message)
	}
	return strings.Join(all, ",")
}

func TestLinesAreFiltered(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "begin")
	s.say(shop, telemetry.Error, "Timeout of the cart")
	s.say("com.example.maps", telemetry.Warning, "no GPS")
	s.say(shop, telemetry.Fault, "over")
	s.store.Add(telemetry.Entry{Time: noon, Source: telemetry.Server, Level: telemetry.Notice, Message: "daemon", Process: "ios-agent"})
	for input, want := range map[string]string{
		`{"app":"com.example.shop"}`: "begin,Timeout of the cart,over",
		`{"app":"shop"}`:             "begin,Timeout of the cart,over",
		`{"app":"Maps"}`:             "no GPS",
		`{"all":true}`:               "begin,Timeout of the cart,no GPS,over,daemon",
		`{"all":true,"udid":"` + fakedevice.UDID + `"}`:             "begin,Timeout of the cart,no GPS,over",
		`{"all":true,"level":"error"}`:                              "Timeout of the cart,over",
		`{"all":true,"level":"fault"}`:                              "over",
		`{"all":true,"grep":"TIMEOUT"}`:                             "Timeout of the cart",
		`{"all":true,"process":"maps"}`:                             "no GPS",
		`{"all":true,"subsystem":"com.example.maps"}`:               "no GPS",
		`{"process":"maps"}`:                                        "no GPS",
		`{"source":"server"}`:                                       "daemon",
		`{"all":true,"since":"2026-01-02T12:00:02Z"}`:               "no GPS,over",
		`{"all":true,"until":"2026-01-02T12:00:01Z"}`:               "begin,Timeout of the cart,daemon",
		`{"all":true,"since":"10m"}`:                                "",
		`{"all":true,"after":"3"}`:                                  "over,daemon",
		`{"all":true,"before":"3"}`:                                 "begin,Timeout of the cart",
		`{"all":true,"before":"1"}`:                                 "",
		`{"all":true,"before":"2"}`:                                 "begin",
		`{"all":true,"source":"server"}`:                            "daemon",
		`{"app":"com.example.shop","process":"shop"}`:               "begin,Timeout of the cart,over",
		`{"app":"com.example.shop","process":"maps"}`:               "",
		`{"all":true,"before":"0"}`:                                 "",
		`{"all":true,"limit":2}`:                                    "over,daemon",
		`{"all":true,"limit":2,"oldest":true}`:                      "begin,Timeout of the cart",
		`{"app":"com.example.shop","source":"console"}`:             "",
		`{"app":"com.example.shop","limit":1,"level":"warning"}`:    "over",
		`{"app":"com.example.shop","after":"2","level":"notice"}`:   "over",
		`{"app":"com.example.shop","grep":"of the","level":"info"}`: "Timeout of the cart",
	} {
		var got logs.LogsOut
		if s.Must("read_logs", input, &got); messages(got) != want {
			t.Errorf("%s: got %q, want %q", input, messages(got), want)
		}
	}
}

func TestReadLogsRefusesInvalidInput(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "begin")
	for _, c := range []struct {
		input, field, says string
		code               fault.Code
	}{
		{`{"after":"x"}`, "after", `after: "x" is not a cursor`, fault.InvalidInput},
		{`{"after":"-1"}`, "after", `after: "-1" is not a cursor`, fault.InvalidInput},
		{`{"before":"x"}`, "before", `before: "x" is not a cursor`, fault.InvalidInput},
		{`{"since":"then"}`, "since", "since", fault.InvalidInput},
		{`{"until":"then"}`, "until", "until", fault.InvalidInput},
		{`{"after":"1","before":"2"}`, "", "before", fault.InvalidInput},
		{`{"all":true,"app":"shop"}`, "", "app", fault.InvalidInput},
		{`{"app":"-x"}`, "bundle_id", "is not the bundle id or the name of an app", fault.InvalidInput},
		{`{"level":"loud"}`, "level", "warning", fault.InvalidInput},
		{`{"limit":0}`, "limit", "1", fault.InvalidInput},
		{`{"udid":"X"}`, "", "X", fault.DeviceNotFound},
		{`{"app":"Nobody"}`, "", "Nobody", fault.AppNotFound},
		{`{"step":"next"}`, "step", "last", fault.InvalidInput},
	} {
		if f := s.Refused("read_logs", c.input, c.code, c.says); c.field != "" && f.Details["field"] != c.field {
			t.Errorf("%s: got the field %v, want %q", c.input, f.Details["field"], c.field)
		}
	}
	if e := s.Run("read_logs", `{"step":"last"}`); e.Error == nil {
		t.Errorf("got %q, want a fault: there was no step", e.Stdout)
	}
	s.Refused("summarize_logs", `{"app":"Nobody"}`, fault.AppNotFound, "Nobody")
	s.Refused("summarize_logs", `{"after":"x"}`, fault.InvalidInput, `"x" is not a cursor`)
}

func TestPageReportsCursorsForNextPage(t *testing.T) {
	s := newStand(t)
	for i := range 5 {
		s.say(shop, telemetry.Info, fmt.Sprintf("line number %c", 'a'+i))
	}
	var got logs.LogsOut
	e := s.Must("read_logs", `{"app":"shop","limit":2}`, &got)
	if got.Total != 5 || !got.HasMore || got.Before != "4" || got.Cursor != "5" || got.App != shop ||
		!strings.HasPrefix(e.Stdout, "2 of 5 lines of com.example.shop on Paper Phone; sources: simulator\n") ||
		!strings.HasSuffix(e.Stdout, "\n… 3 more before these: "+hint.Do("read_logs", "before", "4")) {
		t.Errorf("backward: got %+v and\n%s\nwant 2 of 5, with what came before", got, e.Stdout)
	}
	got = logs.LogsOut{}
	e = s.Must("read_logs", `{"app":"shop","limit":2,"after":"1"}`, &got)
	if got.Total != 4 || got.Cursor != "3" || got.Before != "" ||
		!strings.HasSuffix(e.Stdout, "\n… 2 more after these: "+hint.Do("read_logs", "after", "3")) {
		t.Errorf("forward: got %+v and\n%s\nwant 2 of 4, with what came after", got, e.Stdout)
	}
	got = logs.LogsOut{}
	e = s.Must("read_logs", `{"app":"shop"}`, &got)
	if got.HasMore || got.Before != "" || got.Note != "" || strings.Contains(e.Stdout, " more before these: ") ||
		!strings.HasPrefix(e.Stdout, "5 lines of com.example.shop on Paper Phone; ") {
		t.Errorf("all: got %+v and\n%s\nwant 5 lines and nothing more", got, e.Stdout)
	}
	line := got.Lines[0]
	if line.Number != 1 || !line.Time.Equal(noon) || line.UDID != fakedevice.UDID || line.App != shop || line.Process != "shop" ||
		line.PID != 7 ||
		line.Source != "simulator" || line.Level != "info" || line.Subsystem != shop || line.Category != "net" || line.Count != 1 {
		t.Errorf("got the line %+v, want all that is known of it", line)
	}
}

func TestLogLineTextIsReadableAndBounded(t *testing.T) {
	at := noon.Local().Format("15:04:05.000")
	for want, line := range map[string]logs.LogLine{
		at + ` E shop[7] sub:net  "gone" (×3)`: {Time: noon, Level: "error", Process: "shop", PID: 7, Subsystem: "sub", Category: "net",
			Message: "gone", Count: 3},
		at + ` I server  "up"`:      {Time: noon, Level: "info", Source: "server", Message: "up", Count: 1},
		at + ` D x net  "y"`:        {Time: noon, Level: "debug", Process: "x", Category: "net", Message: "y"},
		at + ` D x sub  "two\nrow"`: {Time: noon, Level: "debug", Process: "x", Subsystem: "sub", Message: "two\nrow"},
	} {
		if got := line.Text(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	long := logs.LogLine{Time: noon, Level: "info", Source: "server", Message: strings.Repeat("x", 1000)}
	if got := long.Text(); len(got) > 500 || !strings.Contains(got, strings.Repeat("x", 300)) {
		t.Errorf("got %d bytes, want about 400", len(got))
	}
}

func TestLogTextKeepsLinesWithinBound(t *testing.T) {
	s := newStand(t)
	for i := range 60 {
		s.say(shop, telemetry.Info, fmt.Sprintf("%c%c %s", 'a'+i/26, 'a'+i%26, strings.Repeat("x", 350)))
	}
	newest := s.Must("read_logs", `{"app":"shop"}`, nil).Stdout
	if len(newest) > 10_500 || !strings.Contains(newest, `"ch `) || strings.Contains(newest, `"aa `) ||
		!strings.Contains(newest, "more before these: ") {
		t.Errorf("got %d bytes, want the newest lines of about 10,000", len(newest))
	}
	oldest := s.Must("read_logs", `{"app":"shop","oldest":true}`, nil).Stdout
	if len(oldest) > 10_500 || !strings.Contains(oldest, `"aa `) || strings.Contains(oldest, `"ch `) ||
		!strings.Contains(oldest, "more after these: ") {
		t.Errorf("got %d bytes, want the oldest lines of about 10,000", len(oldest))
	}
}

// TestLogTextIsCutAtExactBound: all lines of 10,000 bytes are there, of one more byte the newest.
func TestLogTextIsCutAtExactBound(t *testing.T) {
	line := func(bytes int) logs.LogLine {
		one := logs.LogLine{Number: 7, Time: noon, Level: "info"}
		one.Message = strings.Repeat("x", bytes-len(one.Text())-1) // an end of line is counted too
		return one
	}
	for first, want := range map[int]string{250: "40 lines of ; ", 251: "39 of 40 lines of ; "} {
		o := logs.LogsOut{Total: 40, Lines: []logs.LogLine{line(first)}}
		for range 39 {
			o.Lines = append(o.Lines, line(250))
		}
		got := o.Text()
		more := strings.HasSuffix(got, "\n… 1 more before these: "+hint.Do("read_logs", "before", "7"))
		if !strings.HasPrefix(got, want) || more != (first > 250) {
			t.Errorf("with a first line of %d bytes: got %.40q, more %v; want %q", first, got, more, want)
		}
	}
	if got := (logs.LogsOut{Total: 3}).Text(); got != "0 of 3 lines of ; no source is captured" {
		t.Errorf("no lines: got %q", got)
	}
}

// TestLogsOmitSourcesOfOtherApps: an answer has the sources that could have had lines that fit.
func TestLogsOmitSourcesOfOtherApps(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "begin")
	s.say("com.example.maps", telemetry.Info, "far")
	s.store.Open(telemetry.State{ID: "other", Type: "log", Source: telemetry.Device, Device: "OTHER", App: shop})
	s.store.Open(telemetry.State{ID: "own", Type: "log", Source: telemetry.Server})
	for input, want := range map[string]string{
		`{"app":"com.example.shop"}`:                    "server, simulator of com.example.shop",
		`{"all":true,"udid":"` + fakedevice.UDID + `"}`: "server, simulator of com.example.maps, simulator of com.example.shop",
		`{"all":true}`:                     "device of com.example.shop, server, simulator of com.example.maps, simulator of com.example.shop",
		`{"all":true,"source":"server"}`:   "server",
		`{"source":"server"}`:              "server",
		`{"app":"Maps","source":"server"}`: "server",
	} {
		var got logs.LogsOut
		s.Must("read_logs", input, &got)
		var all []string
		for _, one := range got.Sources {
			all = append(all, strings.TrimSuffix(one.Source+" of "+one.App, " of "))
		}
		slices.Sort(all)
		if strings.Join(all, ", ") != want {
			t.Errorf("%s: got %q, want %q", input, all, want)
		}
	}
	for input, want := range map[string]string{
		`{"source":"server"}`: "0 lines of the source server; ", `{"all":true}`: "2 lines of all apps and devices; ",
	} {
		if e := s.Must("read_logs", input, nil); !strings.HasPrefix(e.Stdout, want) {
			t.Errorf("%s: got %.80q, want %q", input, e.Stdout, want)
		}
	}
	status := logs.LogsOut{Sources: []logs.LogSource{
		{Source: "c", Status: "streaming"}, {Source: "a", Status: "watching"}, {Source: "b", Status: "ready"}, {Source: "d", Status: "stopped"},
	}}
	if got := status.Text(); !strings.HasSuffix(got, "; sources: a, b, c, d (stopped)") {
		t.Errorf("got %q, want only the state of the one that stopped", got)
	}
}

func TestNoteSaysThatNoLogIsCaptured(t *testing.T) {
	s := newStand(t)
	var got logs.LogsOut
	e := s.Must("read_logs", `{}`, &got)
	note := "the logs of Paper Phone are not captured now; start with " + hint.Do("launch_app", "bundle_id", "APP") + " or " +
		hint.Do("logs_start", "all", true)
	if got.Note != note || e.Stdout != "0 lines of Paper Phone; no source is captured\nnote: "+note {
		t.Errorf("got %q and\n%s\nwant it told that nobody listens", got.Note, e.Stdout)
	}
	s.say(shop, telemetry.Info, "begin")
	s.feeds[shop].Lose(4, "too fast")
	s.feeds[shop].Status("broken", errors.New("the pipe broke"))
	e = s.Must("read_logs", `{}`, &got)
	if head, _, _ := strings.Cut(e.Stdout, "\n"); !strings.Contains(head, "of com.example.shop on Paper Phone; sources: simulator (") ||
		!strings.Contains(head, "(4 lines lost; 4 lines are missing at ") || !strings.HasSuffix(head, ": too fast)") ||
		got.Note == "" || len(got.Sources) != 1 || got.Sources[0].Lost != 4 {
		t.Errorf("got %+v and %q, want the source, what it lost, and that nobody listens", got.Sources, head)
	}
}

func TestReadLogsDefaultsToCapturedApp(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "begin")
	s.say("com.example.maps", telemetry.Info, "far")
	var got logs.LogsOut
	if s.Must("read_logs", `{}`, &got); got.App != shop && got.App != "com.example.maps" || len(got.Lines) != 1 {
		t.Errorf("got %+v, want the lines of one app", got)
	}
}

func TestSummaryCountsMessageKinds(t *testing.T) {
	s := newStand(t)
	s.lines = 3590 // just before now
	s.say(shop, telemetry.Error, "request 1234 failed")
	s.say(shop, telemetry.Warning, "slow")
	s.say(shop, telemetry.Error, "request 5678 failed")
	s.say(shop, telemetry.Info, "fine")
	var got logs.LogSummaryOut
	e := s.Must("summarize_logs", `{"app":"shop"}`, &got)
	if got.Errors != 2 || got.Warnings != 1 || got.Total != 4 || len(got.Issues) != 2 ||
		got.Window != "5m" || got.App != shop || got.Prose == "" {
		t.Errorf("got %+v, want 2 errors of one kind, a warning, 4 lines", got)
	}
	want := "2 errors, 1 warning, 4 lines in the last 5m of com.example.shop on Paper Phone; sources: simulator\n"
	if !strings.HasPrefix(e.Stdout, want) || !strings.Contains(e.Stdout, "\nE shop  \"request ") || !strings.Contains(e.Stdout, "(×2)") ||
		!strings.HasSuffix(e.Stdout, hint.Do("summarize_logs", "after", got.Cursor)) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", e.Stdout, want)
	}
	var later logs.LogSummaryOut
	if s.Must("summarize_logs", `{"app":"shop","after":"`+got.Cursor+`"}`, &later); later.Total != 0 || later.Issues == nil {
		t.Errorf("got %+v, want nothing after the cursor", later)
	}
	many := logs.LogSummaryOut{Window: "5m"}
	for range 12 {
		many.Issues = append(many.Issues, logs.LogIssue{Pattern: "p", Level: "error", Count: 1, Resolved: true})
	}
	if text := many.Text(); strings.Count(text, "(×1), resolved") != 10 ||
		!strings.Contains(text, "\n… 2 more kinds; the result as JSON has all\n") {
		t.Errorf("got\n%s\nwant 10 kinds of 12", text)
	}
}

func TestReadLogsWaitsForStoredLines(t *testing.T) {
	s := newStand(t)
	var asked []string
	s.deps.Settle = func(_ context.Context, udid, app string) error {
		asked = append(asked, udid+" "+app)
		return nil
	}
	s.Room = fakedevice.Open(t, logs.NewLines(s.deps).Ops())
	s.Must("read_logs", `{"app":"com.example.shop"}`, nil)
	s.Must("summarize_logs", `{"all":true}`, nil)
	if err := logs.NewSaid(s.deps).Settle(t.Context(), &s.Call); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(asked, ","), fakedevice.UDID+" "+shop+", , "; got != want {
		t.Errorf("got it asked for %q, want %q", got, want)
	}
	s.deps.Settle = func(context.Context, string, string) error { return fault.New(fault.AgentFailed, "not yet") }
	s.Room = fakedevice.Open(t, logs.NewLines(s.deps).Ops())
	s.Refused("read_logs", `{"app":"com.example.shop"}`, fault.AgentFailed, "not yet")
	s.Refused("summarize_logs", `{}`, fault.AgentFailed, "not yet")
}

func TestFollowReportsNewLines(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "before")
	if err := s.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 501 { // more than are read at once
		s.say("com.example.maps", telemetry.Info, fmt.Sprint("line ", i))
	}
	catalogue := op.NewCatalogue(logs.NewLines(s.deps).Ops(), op.Options{})
	enough := errors.New("enough")
	for _, input := range []string{`{"after":"0","app":"shop"}`, `{"since":"2026-01-02T00:00:00Z","app":"shop"}`} {
		var got []string
		catalogue.Stream(t.Context(), "follow_logs", s.Call, []byte(input), func(item any) error {
			got = append(got, item.(logs.LogLine).Message)
			return enough
		})
		if strings.Join(got, ",") != "before" {
			t.Errorf("%s: got %q, want the line from before", input, got)
		}
	}
	n := 0
	catalogue.Stream(t.Context(), "follow_logs", s.Call, []byte(`{"after":"0","app":"maps"}`), func(item any) error {
		if want := fmt.Sprint("line ", n); item.(logs.LogLine).Message != want {
			t.Errorf("got %q, want %q", item.(logs.LogLine).Message, want)
		}
		if n++; n == 501 {
			return enough
		}
		return nil
	})
	e := catalogue.Stream(t.Context(), "follow_logs", s.Call, []byte(`{"udid":"X"}`), func(any) error { return nil })
	if e.Error == nil || e.Error.Code != fault.DeviceNotFound {
		t.Errorf("got %+v, want %s", e.Error, fault.DeviceNotFound)
	}
}
