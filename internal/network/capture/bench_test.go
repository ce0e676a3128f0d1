package capture_test

import (
	"bytes"
	"fmt"
	"testing"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
)

// BenchmarkIngest is what a flow costs from the proxy's telling to the store; each is told twice.
func BenchmarkIngest(b *testing.B) {
	h := newHome(b, capture.Options{})
	f := order("", 200)
	for range 10 {
		f.Request.Header = append(f.Request.Header, flow.Field{Name: "X-Header", Value: "some value of a header"})
	}
	f.Response.Header = f.Request.Header
	f.Response.Body.Content = bytes.Repeat([]byte("abcdefgh"), 128)
	i := 0
	for b.Loop() {
		i++
		f.ID, f.State = fmt.Sprintf("f_%d", i), flow.Open
		h.w.Tell(f)
		f.State = flow.Done
		h.w.Tell(f)
		if i%200 == 0 { // about what comes between two transactions
			h.w.Flush()
			if err := h.c.Sync(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkList is a look through 50,000 flows.
func BenchmarkList(b *testing.B) {
	h := newHome(b, capture.Options{})
	for i := range 50_000 {
		h.w.Tell(order(fmt.Sprintf("f_%d", i), 200))
		if i%1000 == 999 {
			h.w.Flush()
			if err := h.c.Sync(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		if _, total, err := h.c.List(b.Context(), flow.Filter{Path: "order", StatusMin: 500}, capture.Page{}); err != nil || total != 0 {
			b.Fatal(total, err)
		}
	}
}
