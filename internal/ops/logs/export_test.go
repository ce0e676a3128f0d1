package logs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/telemetry"
	"ios-agent/test/fakedevice"
)

// exported reads what an export wrote: NDJSON, and nothing else.
func exported(t *testing.T, path string) (all []logs.LogLine) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var one logs.LogLine
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil || !bytes.HasSuffix(line, []byte("}\n")) || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("got the line %.200q, %v, want one JSON object", line, err)
		}
		all = append(all, one)
	}
	return all
}

// TestExportWritesSameLinesAsLogs: with the filters of `logs`, the lines that it shows, and all of them where it has a limit.
func TestExportWritesSameLinesAsLogs(t *testing.T) {
	s := newStand(t)
	s.say(shop, telemetry.Info, "begin")
	s.say(shop, telemetry.Error, "Timeout of <the> \"cart\"\nnext: line\u2028 \x00\xff")
	s.say("com.example.maps", telemetry.Warning, "no GPS")
	for i := range 1_500 {
		s.say(shop, telemetry.Notice, fmt.Sprint("line ", i))
	}
	for i, input := range []string{
		`"all":true`, `"app":"shop"`, `"app":"Maps"`, `"all":true,"level":"error"`, `"all":true,"grep":"LINE 7"`, `"all":true,"process":"maps"`,
		`"all":true,"after":"2"`, `"all":true,"before":"3"`, `"all":true,"before":"1"`, `"all":true,"until":"2026-01-02T12:00:01Z"`,
		`"source":"server"`, `"udid":"` + fakedevice.UDID + `","subsystem":"com.example.shop"`,
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		var got logs.ExportLogsOut
		e := s.Must("export_logs", `{"out":"`+path+`",`+input+`}`, &got)
		lines := exported(t, path)
		var want logs.LogsOut
		s.Must("read_logs", `{"limit":1000,"oldest":true,`+input+`}`, &want)
		if got.Count != want.Total || len(lines) != want.Total || got.App != want.App {
			t.Errorf("%s: got %d lines, said %d of %q, want %d of %q", input, len(lines), got.Count, got.App, want.Total, want.App)
			continue
		}
		for n, line := range want.Lines {
			if lines[n] != line {
				t.Errorf("%s: line %d: got %+v, want %+v", input, n, lines[n], line)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() != got.Bytes || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want %d bytes for their owner alone", input, info, err, got.Bytes)
		}
		if !strings.HasPrefix(e.Stdout, fmt.Sprintf("wrote %d line", want.Total)) || !strings.Contains(e.Stdout, path) {
			t.Errorf("%s: got %q, want how many lines are where", input, e.Stdout)
		}
	}
}

// TestExportReportsMissingLines: lines that a source lost, and those that are kept no longer.
func TestExportReportsMissingLines(t *testing.T) {
	s, dir := newStand(t), t.TempDir()
	s.say(shop, telemetry.Info, "begin")
	s.say("com.example.maps", telemetry.Info, "far")
	s.feeds[shop].Lose(4, "too fast")
	var got logs.ExportLogsOut
	e := s.Must("export_logs", `{"out":"`+dir+`/lost","app":"shop"}`, &got)
	lines := exported(t, dir+"/lost")
	if got.Lost != 4 || got.Count != 2 || !strings.Contains(lines[1].Message, "4 lines are missing here: too fast") ||
		!strings.Contains(e.Stdout, "; 4 lines are missing in all") || got.Oldest != nil {
		t.Errorf("got %+v, %q and %+v, want 4 lost lines, also where they would be", got, e.Stdout, lines)
	}
	if e = s.Must("export_logs", `{"out":"`+dir+`/maps","app":"maps"}`, &got); got.Lost != 0 || strings.Contains(e.Stdout, "missing") {
		t.Errorf("got %+v and %q, want nothing of what another app's source lost", got, e.Stdout)
	}
	if err := s.store.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.say(shop, telemetry.Info, "again")
	e = s.Must("export_logs", `{"out":"`+dir+`/kept","all":true}`, &got)
	if got.Oldest == nil || !strings.Contains(e.Stdout, "; lines older than 2026-01-02T12:00:02Z are deleted") {
		t.Errorf("got %+v and %q, want since when lines are kept", got, e.Stdout)
	}
	if s.Must("export_logs", `{"out":"`+dir+`/since","all":true,"since":"2026-01-02T12:00:02Z"}`, &got); got.Oldest != nil {
		t.Errorf("got %v, want nothing of lines that are not wanted", got.Oldest)
	}
}

// TestExportRefusesInvalidInput: a file that is there, an app that is not, filters that contradict each other; and no file is left.
func TestExportRefusesInvalidInput(t *testing.T) {
	s, dir := newStand(t), t.TempDir()
	s.say(shop, telemetry.Info, "begin")
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		input, says string
		code        fault.Code
	}{
		{`{"all":true}`, "out", fault.InvalidInput},
		{`{"out":"` + old + `","all":true}`, hint.Field("force"), fault.PathError},
		{`{"out":"` + dir + `/no/x","all":true}`, "writing the file", fault.PathError},
		{`{"out":"` + dir + `/x","app":"Nobody"}`, "Nobody", fault.AppNotFound},
		{`{"out":"` + dir + `/x","all":true,"app":"shop"}`, "app", fault.InvalidInput},
		{`{"out":"` + dir + `/x","after":"1","before":"2"}`, "before", fault.InvalidInput},
		{`{"out":"` + dir + `/x","before":"x"}`, `"x" is not a cursor`, fault.InvalidInput},
		{`{"out":"` + dir + `/x","until":"then"}`, "until", fault.InvalidInput},
	} {
		s.Refused("export_logs", c.input, c.code, c.says)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("got %v, %v, want the old file alone", left, err)
	}
	s.Must("export_logs", `{"out":"`+old+`","all":true,"force":true}`, nil)
	if lines := exported(t, old); len(lines) != 1 {
		t.Errorf("got %d lines, want the file written over", len(lines))
	}
}
