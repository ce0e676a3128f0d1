package rules_test

import (
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/rules"
)

// TestThrottleAppliesToItsPatternAndDevice: the first that fits counts, for the devices that its owner may touch; mocks are slowed down
// too.
func TestThrottleAppliesToItsPatternAndDevice(t *testing.T) {
	r := rules.New(rules.Options{})
	set(t, r, rules.Config{
		Drivers: driven,
		Shares: []rules.Share{{Owner: "bob", Throttles: []rules.Throttle{
			{Pattern: "~u /orders", Latency: time.Second, Down: 800, Up: 80},
			{Pattern: "~bq tea", Device: "shared", Latency: time.Minute},
			{Device: "shared", Offline: true},
		}}},
		Mocks: []mock.Rule{{ID: "mock_00000001", Pattern: "~u /orders", Owner: "bob", Response: mock.Response{Status: 503}}},
	})
	for _, c := range []struct {
		of, url, body string
		want          time.Duration // of latency; negative: lost; 0: as it is
	}{
		{"shared", "https://a/orders", "", time.Second},
		{"nobodys", "https://a/orders", "", time.Second},
		{"anns", "https://a/orders", "", 0},
		{"shared", "https://a/items", "tea", time.Minute},
		{"shared", "https://a/items", "", -1},
		{"nobodys", "https://a/items", "tea", 0},
	} {
		f := from(on(c.of), c.url)
		if got, want := r.Look(f).RequestBody, c.of == "shared" && strings.HasSuffix(c.url, "/items"); got != want {
			t.Errorf("%+v: the body is wanted: got %v, want %v", c, got, want)
		}
		f.Request.Body = flow.Body{Content: []byte(c.body)}
		v, err := r.Request(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == 0 && v.Pace != nil, c.want != 0 && v.Pace == nil:
			t.Errorf("%+v: got %+v", c, v.Pace)
		case c.want > 0 && (v.Pace.Latency != c.want || v.Pace.Lost != ""):
			t.Errorf("%+v: got %+v", c, v.Pace)
		case c.want < 0 && v.Pace.Lost == "":
			t.Errorf("%+v: got %+v, want it lost", c, v.Pace)
		}
		if c.want == time.Second && (v.Pace.Down != 100_000 || v.Pace.Up != 10_000 || v.Answer == nil) {
			t.Errorf("%+v: got %+v and the answer %v, want bytes a second, and the mock", c, v.Pace, v.Answer)
		}
	}
}

// TestLossRateIsExactAcrossNewSettings: of a hundred requests exactly so many are lost, also when other settings change in between.
func TestLossRateIsExactAcrossNewSettings(t *testing.T) {
	for _, loss := range []int{0, 1, 25, 60, 100} {
		r := rules.New(rules.Options{})
		lost := 0
		for i := range 100 {
			share := rules.Share{Owner: "bob", Only: map[bool]string{true: "a"}[i%2 == 0], Throttles: []rules.Throttle{{Loss: loss}}}
			set(t, r, of(share))
			v, err := r.Request(t.Context(), request("GET", "https://a/"))
			if err != nil {
				t.Fatal(err)
			}
			if v.Pace.Lost != "" {
				lost++
			}
		}
		if lost != loss {
			t.Errorf("%d %%: got %d of 100 lost", loss, lost)
		}
	}
}

// TestTooManyThrottlesAreRefused: a list that callers can extend is bounded.
func TestTooManyThrottlesAreRefused(t *testing.T) {
	r := rules.New(rules.Options{})
	many := make([]rules.Throttle, rules.MostThrottles+1)
	if err := r.Set(of(rules.Share{Throttles: many})); !fault.Is(err, fault.TooMany) {
		t.Errorf("got %v, want %s", err, fault.TooMany)
	}
	if err := r.Set(of(rules.Share{Throttles: []rules.Throttle{{Pattern: "~("}}})); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want %s", err, fault.InvalidInput)
	}
}

// TestHeldMappedRequestGoesToMappedServer: the address of the mapping is used, unless somebody names another when it is released.
func TestHeldMappedRequestGoesToMappedServer(t *testing.T) {
	r := rules.New(rules.Options{})
	away := mock.Rule{ID: "mock_00000001", Pattern: "~d api.example.com", Response: mock.Response{Source: mock.Source{
		Remote: "https://staging.example.com/v2"}}}
	set(t, r, rules.Config{Mocks: []mock.Rule{away}})
	v, err := r.Request(t.Context(), request("GET", "https://api.example.com/orders?id=7"))
	if err != nil || v.Answer != nil || v.Change == nil || *v.Change.URL != "https://staging.example.com/v2/orders?id=7" {
		t.Fatalf("got %+v, %v", v, err)
	}
	if got := r.Hits()["mock_00000001"]; got != 1 {
		t.Errorf("got %d hits, want 1", got)
	}
	other := "https://other.example.com/"
	set(t, r, rules.Config{Mocks: []mock.Rule{away}, Shares: []rules.Share{{Hold: &rules.Intercept{Pattern: "~all"}}}})
	for _, change := range []*flow.Change{nil, {URL: &other}} {
		f := request("GET", "https://api.example.com/orders")
		last := r.Last()
		came := ask(t.Context(), r, f)
		r.Wait(t.Context(), last)
		if err := r.Release(f.ID, "", change); err != nil {
			t.Fatal(err)
		}
		want := "https://staging.example.com/v2/orders"
		if change != nil {
			want = other
		}
		if got := <-came; got.err != nil || got.verdict.Change == nil || *got.verdict.Change.URL != want {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}
