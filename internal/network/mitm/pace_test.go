package mitm_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// waited is a clock that jumps: it sums up what is waited for.
type waited struct {
	mu  sync.Mutex
	sum time.Duration
	n   int
}

func (w *waited) wait(ctx context.Context, d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum, w.n = w.sum+d, w.n+1
	return ctx.Err() == nil
}

func (w *waited) take() (sum time.Duration, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum, n, w.sum, w.n = w.sum, w.n, 0, 0
	return sum, n
}

// TestPaceAppliesLatencyAndBandwidth: a request waits its latency, and each body as long as its bytes take, piece by piece; what
// arrives is whole. A mock's answer takes as long as a server's.
func TestPaceAppliesLatencyAndBandwidth(t *testing.T) {
	var clock waited
	r := open(t, func(o *mitm.Options) { believing(o); o.Wait = clock.wait })
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		n, _ := io.Copy(io.Discard, req.Body)
		if n != 500 {
			t.Errorf("got %d bytes, want 500", n)
		}
		_, _ = io.WriteString(w, strings.Repeat("a", 3000))
	}, false)
	pace := &flow.Pace{Latency: 100 * time.Millisecond, Down: 1000, Up: 250}
	for name, verdict := range map[string]flow.Verdict{
		"a server": {Pace: pace},
		"a mock":   {Pace: pace, Answer: &flow.Answer{Status: 200, Body: []byte(strings.Repeat("a", 3000))}},
	} {
		r.forget()
		r.request = func(context.Context, *flow.Flow) (flow.Verdict, error) { return verdict, nil }
		req, err := http.NewRequest(http.MethodPost, s.URL, strings.NewReader(strings.Repeat("b", 500)))
		must(t, err)
		_, body := r.do(r.client(false), req)
		want := 100*time.Millisecond + 3*time.Second
		if verdict.Answer == nil {
			want += 2 * time.Second
		}
		sum, n := clock.take()
		if len(body) != 3000 || sum.Round(time.Millisecond) != want {
			t.Errorf("%s: got %d bytes in %v, want 3000 in %v", name, len(body), sum, want)
		}
		if verdict.Answer == nil && n < 30 {
			t.Errorf("%s: got %d waits, want one for each tenth of a second", name, n)
		}
		if f := r.done(); !f.Slowed || f.State != flow.Done {
			t.Errorf("%s: got %+v, want a flow that was slowed down", name, f)
		}
	}
}

// TestLostRequestsReachNoServer: the connection of the app ends, the server gets no request, and the flow has the reason.
func TestLostRequestsReachNoServer(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(http.ResponseWriter, *http.Request) { t.Error("the server got a request that was lost") }, http2)
			r.request = func(context.Context, *flow.Flow) (flow.Verdict, error) {
				return flow.Verdict{Pace: &flow.Pace{Lost: "lost in a tunnel"}}, nil
			}
			resp, err := r.client(http2).Get(s.URL)
			if err == nil {
				_ = resp.Body.Close()
				t.Errorf("got %s, want an error", resp.Status)
			}
			if f := r.failed(); f.Kind != flow.Throttled || f.Error != "lost in a tunnel" || !f.Slowed {
				t.Errorf("got %q %q, want %q", f.Kind, f.Error, flow.Throttled)
			}
		})
	}
}
