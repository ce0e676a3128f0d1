package oslog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ios-agent/test/samples"
)

var rawHead = regexp.MustCompile(`(?m)^\x00?(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ` +
	`|\{"timezoneName"|Runner\()`)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"oslog"}, Sniff, Read, func(t *testing.T, s samples.Sample, l *Log) string {
		if want := len(rawHead.FindAll(s.Data, -1)); len(l.Entries) != want {
			t.Errorf("%d entries, want %d", len(l.Entries), want)
		}
		for _, e := range l.Entries {
			if e.Process == "" && !strings.HasPrefix(e.Message, "--- last message repeated") {
				t.Errorf("incomplete: %+v", e)
			}
		}
		whole, _ := json.Marshal(l)
		for seed := range uint64(3) {
			if got, _ := json.Marshal(inChunks(s.Data, seed)); string(got) != string(jsonEntries(t, l)) {
				t.Errorf("other entries in chunks (seed %d), whole has %d bytes", seed, len(whole))
			}
		}
		return fmt.Sprintf("%s: entries %d, remarks %d", l.Style, len(l.Entries), len(l.Remarks))
	})
}

func jsonEntries(t *testing.T, l *Log) []byte {
	t.Helper()
	b, err := json.Marshal(l.Entries)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func inChunks(b []byte, seed uint64) []Entry {
	random := rand.New(rand.NewPCG(seed, 2))
	var all []Entry
	r := Reader{Each: func(e Entry) { all = append(all, e) }}
	for len(b) > 0 {
		n := min(1+random.IntN(50), len(b))
		_, _ = r.Write(b[:n])
		b = b[n:]
	}
	r.End()
	return all
}

func TestLogLineFormatsAreParsed(t *testing.T) {
	for in, want := range map[string]Entry{
		"2026-01-26 18:16:47.925345+0100 0x18b9de7  Error       0x5b                 83618  0    My App: (lib x.dylib) " +
			"[com.apple.xpc:connection] [0x1] hello: x": {
			Time: "2026-01-26 18:16:47.925345+0100", Thread: "0x18b9de7", Level: "Error", Activity: "0x5b", PID: 83618,
			Process: "My App", Sender: "lib x.dylib", Subsystem: "com.apple.xpc", Category: "connection", Message: "[0x1] hello: x"},
		"2026-01-15 15:49:35.850 Df Carousel[64861:b0f40] [com.apple.Carousel:ui] (x) y": {
			Time: "2026-01-15 15:49:35.850", Level: "Default", Process: "Carousel", PID: 64861, Thread: "b0f40",
			Subsystem: "com.apple.Carousel", Category: "ui", Message: "(x) y"},
		"2017-09-13 15:26:57.228948-0700  localhost My App[37195] <Notice>: (Flutter) hi\n  more": {
			Time: "2017-09-13 15:26:57.228948-0700", Host: "localhost", Process: "My App", PID: 37195, Level: "Notice",
			Sender: "Flutter", Message: "hi\n  more"},
		"Dec 29 08:48:47 iPhone launchd[1] (a.b[13306]) <Warning>: Service \\M-f\\M^H\\M^Q": {
			Time: "Dec 29 08:48:47", Host: "iPhone", Process: "launchd", PID: 1, Sender: "a.b[13306]", Level: "Warning", Message: "Service 我"},
		"Jan 2 15:04:05 iPhone MyApp[42] <Error>: boom": {
			Time: "Jan 2 15:04:05", Host: "iPhone", Process: "MyApp", PID: 42, Level: "Error", Message: "boom"},
		"Runner(Flutter)[297] <Notice>: multi,\n  line": {Process: "Runner", Sender: "Flutter", PID: 297, Level: "Notice",
			Message: "multi,\n  line"},
	} {
		l, err := Read([]byte(in + "\n"))
		if err != nil || len(l.Entries) != 1 {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := l.Entries[0]; fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("got  %#v\nwant %#v", got, want)
		}
	}
}

// TestNULEndsAMessage: the relay of a device may send anything after one. It is not taken for a further line of the message before.
func TestNULEndsAMessage(t *testing.T) {
	in := "Jan 2 15:04:05 iPhone MyApp[42] <Error>: one\n\x00Jan 2 15:04:06 iPhone MyApp[42] <Error>: two\n  more\x00three\x00"
	l, err := Read([]byte(in))
	if err != nil || len(l.Entries) != 2 || l.Entries[0].Message != "one" || l.Entries[1].Message != "two\n  more" || len(l.Remarks) != 1 {
		t.Errorf("got %+v, %v", l, err)
	}
	if Sniff([]byte(in)) < 50 {
		t.Errorf("sniffed %d", Sniff([]byte(in)))
	}
}

func TestJSONStreamIsParsed(t *testing.T) {
	in := "Filtering the log data using \"x\"\n[{\n  \"timestamp\" : \"t\",\n  \"eventMessage\" : \"a\",\n  \"traceID\" : " +
		"18446744073709551615,\n  \"processImagePath\" : \"\\/b\\/App\"\n},{\n  \"timestamp\" : \"u\",\n  \"eventMessage\" : \"b\"\n}]\n"
	l, err := Read([]byte(in))
	if err != nil || len(l.Entries) != 2 || l.Entries[0].Process != "App" ||
		string(l.Entries[0].Extra["traceID"]) != "18446744073709551615" || len(l.Remarks) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if Sniff([]byte(in)) < 50 {
		t.Errorf("sniffed %d", Sniff([]byte(in)))
	}
}

// TestCutOffEventKeepsLaterEvents: a cut event does not swallow the events after it.
func TestCutOffEventKeepsLaterEvents(t *testing.T) {
	l, err := Read([]byte("{\n  \"timestamp\" : \"t\",\n  \"eventMessage\" : \"half\nlog: lost\n" +
		`{"timestamp":"u","eventMessage":"whole"}` + "\n"))
	if err != nil || len(l.Entries) != 1 || l.Entries[0].Message != "whole" || len(l.Remarks) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "2026-01-15 15:49:35.850 Df A[6:b] [c.d:e] m\n more\n",
		"Dec 29 08:48:47 h p[1] (s[2]) <Warning>: \\M-f\n", `{"timestamp":"t","eventMessage":"m"}`+"\n",
		"[{\n\"timestamp\":\"t\"\n},{\n}]\n", "\x00Jun 20 13:42:52 iPhone l[59] <Notice>: x\n")
}

func FuzzChunks(f *testing.F) {
	f.Add([]byte("2026-01-15 15:49:35.850 Df A[6:b] m\n{\"timestamp\":\"t\"}\n"), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		var whole []Entry
		r := Reader{Each: func(e Entry) { whole = append(whole, e) }}
		_, _ = r.Write(b)
		r.End()
		x, _ := json.Marshal(whole)
		y, _ := json.Marshal(inChunks(b, seed))
		if string(x) != string(y) {
			t.Fatalf("%s\n%s", x, y)
		}
	})
}
