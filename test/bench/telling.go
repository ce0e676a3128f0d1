package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/telemetry"
)

// storedLines is how many lines are searched.
const storedLines = 1_000_000

// telling stores lines of logs and searches them: how fast they come in, with all that finding them takes, and how long the newest page
// of words, of parts of them and of the values of fields takes, with the exact number of lines that have them.
func telling(ctx context.Context, _ *lab) ([]figure, error) {
	dir, err := os.MkdirTemp("", "ios-agent-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db")})
	defer s.Close()
	took, err := storeLines(ctx, s)
	if err != nil {
		return nil, err
	}
	usage, err := s.Usage(ctx)
	if err != nil {
		return nil, err
	}
	if usage.Entries != storedLines || usage.Dropped != 0 {
		return nil, fmt.Errorf("%d lines are stored of %d, %d were dropped", usage.Entries, storedLines, usage.Dropped)
	}
	out := []figure{
		{name: "store: 20,000 lines of a log", value: inMillis(took) / storedLines * 20_000, unit: millis, bound: 1000},
		{name: "store: a million lines on the disk", value: float64(usage.Bytes) / (1 << 20), unit: mebibytes, bound: 200},
	}
	const word, text = 50, 600 // ms, for a whole word or the value of a field, and for any other text
	for _, search := range []struct {
		name  string
		query telemetry.Query
		total int
		bound float64
	}{
		{"a rare word in a million lines", telemetry.Query{Search: "zebracorn"}, storedLines / 10_000, word},
		{"a frequent word", telemetry.Query{Search: "timeout"}, storedLines / 10, word},
		{"a frequent word of an app", telemetry.Query{Search: "timeout", App: "com.example.shop"}, storedLines / 10, word},
		{"errors", telemetry.Query{Level: telemetry.Error}, storedLines/3 - 1, word},
		{"a part of a word", telemetry.Query{Search: "meou"}, storedLines / 10, text},
		{"a number", telemetry.Query{Search: "4711"}, 815, text},
		{"words and signs between them", telemetry.Query{Search: " ms for "}, storedLines, text},
	} {
		var samples []time.Duration
		for range 5 {
			begin := time.Now()
			page, err := s.Query(ctx, search.query)
			if err != nil {
				return nil, err
			}
			samples = append(samples, time.Since(begin))
			if page.Total != search.total || len(page.Entries) != 100 {
				return nil, fmt.Errorf("%s: %d lines of %d, %d shown", search.name, page.Total, search.total, len(page.Entries))
			}
		}
		took := inMillis(median(samples))
		out = append(out, figure{name: "store: newest 100 of " + search.name, value: took, unit: millis, bound: search.bound})
	}
	return out, nil
}

// storeLines says how long it takes until all lines can be found.
func storeLines(ctx context.Context, s *telemetry.Store) (took time.Duration, err error) {
	r := rand.New(rand.NewPCG(17, 17))
	words := []string{"request", "connection", "finished", "loading", "image", "cache", "network", "response", "view", "controller"}
	word := func() string { return words[r.IntN(len(words))] }
	lines := make([]telemetry.Entry, 0, 10_000) // the source waits while they are written, so that no line is dropped
	for i := 0; i < storedLines; {
		lines = lines[:0]
		for ; len(lines) < cap(lines); i++ {
			text := fmt.Sprintf("%s %s id=%08x-%04x took %d ms for user %d at /v1/%s/%d",
				word(), word(), r.Uint32(), r.IntN(1<<16), r.IntN(5000), r.IntN(100_000), word(), i)
			if i%10 == 3 {
				text += " Timeout"
			}
			if i%10_000 == 7 {
				text += " zebracorn"
			}
			lines = append(lines, telemetry.Entry{
				Device: "5E1C6B2A-0000-4000-8000-000000000017", App: "com.example.shop", Process: "Shop", PID: 4711, Message: text,
				Source: telemetry.Simulator, Level: telemetry.Level(i % 6), Subsystem: "com.example.net", Category: words[i%len(words)],
			})
		}
		begin := time.Now()
		for _, e := range lines {
			s.Add(e)
		}
		if err := s.Flush(ctx); err != nil {
			return 0, err
		}
		took += time.Since(begin)
	}
	return took, nil
}
