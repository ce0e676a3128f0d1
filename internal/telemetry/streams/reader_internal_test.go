package streams

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/telemetry"
)

// TestSingleAndMultiLineEventsReadEqual: an event on one line and the same event on many become the same entry.
func TestSingleAndMultiLineEventsReadEqual(t *testing.T) {
	store := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db")})
	defer store.Close()
	sub := store.Follow(telemetry.Query{})
	r := (&reader{add: store.Open(telemetry.State{ID: "x"}).Add, appOf: func(string) string { return "a.b" }}).start()
	const head = `{"timestamp":"2026-01-02 15:04:05.123456+0100","eventType":"logEvent",`
	for i, rest := range []string{
		`"messageType":"Error","eventMessage":"%s","processImagePath":"\/x\/Shop","processID":7,"subsystem":"s","category":"c"}`,
		`"messageType":"Default","eventMessage":null,"formatString":"%s","subsystem":null,"traceID":18446744073709551615}`,
	} {
		text := head + fmt.Sprintf(rest, fmt.Sprintf("one %d", i))
		r.line(text)
		r.line(strings.Replace(strings.Replace(text, "one ", "many ", 1), `{"`, `{`+"\n"+`"`, 1))
	}
	if err := store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		one, many := <-sub.C, <-sub.C
		if one.Message != fmt.Sprintf("one %d", i) || many.Message != fmt.Sprintf("many %d", i) {
			t.Errorf("%+v\n%+v", one, many)
		}
		one.Number, one.Message = many.Number, many.Message
		if fmt.Sprintf("%+v", one) != fmt.Sprintf("%+v", many) {
			t.Errorf("%+v\n%+v", one, many)
		}
	}
}

// BenchmarkLine is one event of a stream.
func BenchmarkLine(b *testing.B) {
	store := telemetry.New(telemetry.Options{Path: filepath.Join(b.TempDir(), "telemetry.db")})
	defer store.Close()
	n := 0
	feed := store.Open(telemetry.State{ID: "x"})
	r := (&reader{add: feed.Add, appOf: func(string) string { n++; return "" }, least: telemetry.Fault}).start()
	const line = `{"timezoneName":"","messageType":"Default","eventType":"logEvent","source":null,"formatString":"%{public}s","userID":501,` +
		`"activityIdentifier":0,"subsystem":"com.iosagent.shop","category":"flood","threadID":25886720,"backtrace":{"frames":[{"imageOffset":` +
		`109999,"imageUUID":"2F16B6B6-41B5-34D4-88A1-06CAFCE952EF"}]},"bootUUID":"","processImagePath":"\/x\/Shop.app\/Shop","timestamp":` +
		`"2026-01-02 15:04:05.123456+0000","machTimestamp":1234567890,"eventMessage":"line 1 of many","traceID":3714562696282116,"processID":77}`
	b.ReportAllocs()
	for b.Loop() {
		r.line(line)
	}
	if n == 0 {
		b.Error("nothing was read")
	}
}
