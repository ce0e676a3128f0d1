package daemon

import (
	"encoding/json"
	"net/http"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/op"
)

// TestLostAnswerOfClaimIsRequestedAgain: when a daemon begins and is gone, a claim is sent again, under the same id; what must not happen
// twice is not.
func TestLostAnswerOfClaimIsRequestedAgain(t *testing.T) {
	b := newBench(t)
	l, err := resident.Listen(b.place, resident.Info{Build: "old"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	traces := make(chan string, 10)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got request
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		if traces <- got.Trace; len(traces) == 1 {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler) // the connection breaks off
		}
		_ = json.NewEncoder(w).Encode(line{Envelope: new(op.Succeeded(nothing{}, op.Meta{}))})
	})}
	b.wg.Go(func() { _ = server.Serve(l) })
	defer server.Close()
	c := b.client(older())
	if e := b.call(c, "claim"); e.Error != nil {
		t.Errorf("%+v", e.Error)
	}
	if len(traces) != 2 {
		t.Fatalf("it was sent %d times", len(traces))
	}
	if first, again := <-traces, <-traces; first != again || first == "" {
		t.Errorf("%q, then %q", first, again)
	}
	if e := b.call(c, "work"); e.Error == nil || e.Error.Code != fault.OutcomeUnknown || e.Error.Dispatched != fault.MaybeDispatched {
		t.Errorf("%+v", e.Error)
	}
	if len(traces) != 1 {
		t.Errorf("it was sent %d times", len(traces))
	}
}
