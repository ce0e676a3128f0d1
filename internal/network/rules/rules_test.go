package rules_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/pattern"
	"ios-agent/internal/network/rules"
)

func request(method, url string) *flow.Flow {
	return &flow.Flow{ID: flow.NewID(), Request: flow.Request{Method: method, URL: url}}
}

func answered(f *flow.Flow, status int) *flow.Flow {
	f.Response = &flow.Response{Status: status, Body: flow.Body{Content: []byte("body")}}
	return f
}

func hold(text string) rules.Config { return of(rules.Share{Hold: &rules.Intercept{Pattern: text}}) }

// of is a config of shares alone.
func of(shares ...rules.Share) rules.Config { return rules.Config{Shares: shares} }

// outcome is what became of a flow that was asked about.
type outcome struct {
	verdict flow.Verdict
	err     error
}

// ask asks in the background.
func ask(ctx context.Context, r *rules.Rules, f *flow.Flow) <-chan outcome {
	came := make(chan outcome, 1)
	go func() {
		var o outcome
		if f.Response == nil {
			o.verdict, o.err = r.Request(ctx, f)
		} else {
			o.verdict, o.err = r.Response(ctx, f)
		}
		came <- o
	}()
	return came
}

// heard collects events.
type heard struct {
	mu  sync.Mutex
	all []rules.Event
}

func (h *heard) told(e rules.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, e)
}

// said is the events as words: held, or the reason of the release.
func (h *heard) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var words []string
	for _, e := range h.all {
		if e.Held.Released == "" {
			words = append(words, "held")
		} else {
			words = append(words, string(e.Held.Released))
		}
	}
	return strings.Join(words, " ")
}

func set(t *testing.T, r *rules.Rules, c rules.Config) {
	t.Helper()
	if err := r.Set(c); err != nil {
		t.Fatal(err)
	}
}

func TestRulesApplyInOrder(t *testing.T) {
	r := rules.New(rules.Options{})
	set(t, r, rules.Config{
		Shares: []rules.Share{{Only: "api.example.com", Hold: &rules.Intercept{Pattern: "~all"}}},
		Mocks: []mock.Rule{
			{ID: "mock_00000001", Pattern: "~m POST", Response: mock.Response{Status: 500}, Times: 1},
			{ID: "mock_00000002", Pattern: "~u orders", Response: mock.Response{Status: 404}},
		},
	})
	if l := r.Look(request("POST", "https://other.example.com/orders")); l != (flow.Look{Hidden: true}) {
		t.Errorf("another host: %+v", l)
	}
	v, err := r.Request(t.Context(), request("POST", "https://other.example.com/orders"))
	if err != nil || !reflect.DeepEqual(v, flow.Verdict{}) {
		t.Errorf("another host: %+v, %v", v, err)
	}
	for i, want := range []int{500, 404, 404} {
		v, err := r.Request(t.Context(), request("POST", "https://API.example.com:443/orders"))
		if err != nil || v.Answer == nil || v.Answer.Status != want {
			t.Errorf("%d: %+v, %v", i, v.Answer, err)
		}
	}
	if got := r.Hits(); got["mock_00000001"] != 1 || got["mock_00000002"] != 2 {
		t.Errorf("%v", got)
	}
	if len(r.Held()) > 0 {
		t.Error("a mocked flow is held")
	}
	set(t, r, r.Config())
	if got := r.Hits(); got["mock_00000001"] != 1 {
		t.Errorf("the same again counts anew: %v", got)
	}
}

func TestLookAsksOnlyForNeededParts(t *testing.T) {
	f := request("POST", "https://a/orders")
	for _, c := range []struct {
		config rules.Config
		want   flow.Look
	}{
		{rules.Config{}, flow.Look{}},
		{of(rules.Share{Only: "a"}), flow.Look{}},
		{of(rules.Share{Only: "a:443"}), flow.Look{}},
		{of(rules.Share{Only: "a:444"}), flow.Look{Hidden: true}},
		{of(rules.Share{Only: "xa"}), flow.Look{Hidden: true}},
		{hold("~u other"), flow.Look{}},
		{hold("~u orders"), flow.Look{RequestBody: true}},
		{hold("~u orders & ~c 500"), flow.Look{Response: true, ResponseBody: true}},
		{hold("~u other & ~bs x"), flow.Look{}},
		{hold("~bq x & ~s"), flow.Look{RequestBody: true, Response: true, ResponseBody: true}},
		{of(rules.Share{Hold: &rules.Intercept{Pattern: "~u orders", Request: true, Response: true}}),
			flow.Look{RequestBody: true, Response: true, ResponseBody: true}},
		{rules.Config{Mocks: []mock.Rule{{ID: "mock_00000001", Pattern: "~u orders"}}}, flow.Look{}},
		{rules.Config{Mocks: []mock.Rule{{ID: "mock_00000001", Pattern: "~u orders & ~bq x"}}}, flow.Look{RequestBody: true}},
		{rules.Config{Mocks: []mock.Rule{{ID: "mock_00000001", Pattern: "~u orders", Response: mock.Response{Body: "{{request.json.a}}"}}}},
			flow.Look{RequestBody: true}},
	} {
		r := rules.New(rules.Options{})
		set(t, r, c.config)
		if got := r.Look(f); got != c.want {
			t.Errorf("%+v: %+v", c.config, got)
		}
	}
}

func TestHeldRequestIsReleasedWithChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		r := rules.New(rules.Options{Told: h.told, First: 100})
		set(t, r, hold("~u orders"))
		f := request("POST", "https://a/orders")
		f.Request.Body.Content = []byte("x")
		came := ask(t.Context(), r, f)
		synctest.Wait()
		held := r.Held()
		if len(held) != 1 || held[0].Flow.ID != f.ID || held[0].Sequence != 100 || held[0].Phase != rules.AtRequest ||
			held[0].Flow.State != flow.Held || string(held[0].Flow.Request.Body.Content) != "x" || held[0].Until.Sub(held[0].Since) != rules.Hold {
			t.Fatalf("%+v", held)
		}
		if f.State == flow.Held {
			t.Error("the asker's flow was written to")
		}
		method := "PUT"
		if err := r.Release(f.ID, "", &flow.Change{Method: &method}); err != nil {
			t.Fatal(err)
		}
		if o := <-came; o.err != nil || o.verdict.Change == nil || *o.verdict.Change.Method != "PUT" {
			t.Errorf("%+v", o)
		}
		gone := (*rules.NotHeldError)(nil)
		if err := r.Release(f.ID, "", nil); !errors.As(err, &gone) || gone.ID != f.ID {
			t.Errorf("a second release: %v", err)
		}
		if came := ask(t.Context(), r, answered(request("POST", "https://a/orders"), 500)); (<-came).err != nil {
			t.Error("a response is held by a pattern for requests")
		}
		if h.said() != "held modified" {
			t.Error(h.said())
		}
	})
}

// TestResponsesAreHeld: quern promised it and did not do it (D-36).
func TestResponsesAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules.New(rules.Options{})
		set(t, r, hold("~c 500"))
		if i := r.Config().Shares[0].Hold; i.Request || !i.Response {
			t.Fatalf("%+v", i)
		}
		f := answered(request("GET", "https://a/"), 500)
		came, passes := ask(t.Context(), r, f), ask(t.Context(), r, answered(request("GET", "https://a/"), 200))
		if o := <-passes; o.err != nil {
			t.Error(o)
		}
		synctest.Wait()
		if held := r.Held(); len(held) != 1 || held[0].Phase != rules.AtResponse || string(held[0].Flow.Response.Body.Content) != "body" {
			t.Fatalf("%+v", held)
		}
		method, status, body := "GET", 201, []byte("mine")
		if err := r.Release(f.ID, "", &flow.Change{Method: &method}); err == nil || len(r.Held()) != 1 {
			t.Error("a response's method is changed")
		}
		if err := r.Release(f.ID, "", &flow.Change{Status: &status, Body: &body}); err != nil {
			t.Fatal(err)
		}
		if o := <-came; *o.verdict.Change.Status != 201 || string(*o.verdict.Change.Body) != "mine" {
			t.Errorf("%+v", o)
		}
	})
}

func TestHoldEndReportsItsReason(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *rules.Rules, gone context.CancelFunc)
		says string
		err  bool
	}{
		{"timeout", func(*rules.Rules, context.CancelFunc) { time.Sleep(rules.Hold) }, "held timeout", false},
		{"almost", func(r *rules.Rules, _ context.CancelFunc) { time.Sleep(rules.Hold - 1); r.ReleaseAll("") }, "held release_all", false},
		{"gone", func(_ *rules.Rules, gone context.CancelFunc) { gone() }, "held client_gone", true},
		{"cleared", func(r *rules.Rules, _ context.CancelFunc) { _ = r.Set(rules.Config{}) }, "held intercept_cleared", false},
		{"changed", func(r *rules.Rules, _ context.CancelFunc) { _ = r.Set(hold("~u else")) }, "held intercept_cleared", false},
		{"same", func(r *rules.Rules, _ context.CancelFunc) { _ = r.Set(hold("~all")); r.ReleaseAll("") }, "held release_all", false},
		{"wrong", func(r *rules.Rules, _ context.CancelFunc) { _ = r.Set(hold("~p")); r.ReleaseAll("") }, "held release_all", false},
		{"shutdown", func(r *rules.Rules, _ context.CancelFunc) { r.Close() }, "held shutdown", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h heard
				r := rules.New(rules.Options{Told: h.told})
				set(t, r, hold("~all"))
				ctx, gone := context.WithCancel(t.Context())
				defer gone()
				came := ask(ctx, r, request("GET", "https://a/"))
				synctest.Wait()
				c.do(r, gone)
				if o := <-came; (o.err != nil) != c.err || o.verdict.Change != nil {
					t.Errorf("%+v", o)
				}
				if h.said() != c.says {
					t.Error(h.said())
				}
			})
		})
	}
}

func TestClosedRulesHoldNoRequest(t *testing.T) {
	r := rules.New(rules.Options{})
	set(t, r, hold("~all"))
	r.Close()
	if _, err := r.Request(t.Context(), request("GET", "https://a/")); err != nil {
		t.Error(err)
	}
}

func TestRequestsAboveHoldLimitPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		r := rules.New(rules.Options{Told: h.told})
		set(t, r, hold("~all"))
		for range rules.MostHeld {
			ask(t.Context(), r, request("GET", "https://a/"))
		}
		synctest.Wait()
		if o := <-ask(t.Context(), r, request("GET", "https://a/")); o.err != nil || len(r.Held()) != rules.MostHeld {
			t.Errorf("%+v, %d held", o, len(r.Held()))
		}
		if !strings.HasSuffix(h.said(), "held too_many") {
			t.Error("the flow that passed is not told")
		}
		if n := r.ReleaseAll(""); n != rules.MostHeld {
			t.Error(n)
		}
	})
}

// TestWaitMissesNoHeldFlow: quern's long poll missed a flow that came between its look and its wait (D-37).
func TestWaitMissesNoHeldFlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules.New(rules.Options{})
		set(t, r, hold("~all"))
		next := make(chan []rules.Held, 1)
		go func() { next <- r.Wait(t.Context(), rules.Now) }()
		synctest.Wait()
		first := request("GET", "https://a/1")
		ask(t.Context(), r, first)
		if got := <-next; len(got) != 1 || got[0].Flow.ID != first.ID {
			t.Fatalf("%+v", got)
		}
		// Two that came and went before the next question.
		second, third := request("GET", "https://a/2"), request("GET", "https://a/3")
		ask(t.Context(), r, second)
		synctest.Wait()
		ask(t.Context(), r, third)
		synctest.Wait()
		_ = r.Release(second.ID, "", nil)
		got := r.Wait(t.Context(), 1)
		if len(got) != 2 || got[0].Flow.ID != second.ID || got[0].Released != rules.Manual ||
			got[1].Flow.ID != third.ID || got[1].Released != "" {
			t.Fatalf("%+v", got)
		}
		if now := r.Wait(t.Context(), rules.Now); len(now) != 2 || now[0].Flow.ID != first.ID {
			t.Fatalf("%+v", now)
		}
		ctx, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		if late := r.Wait(ctx, r.Last()); late != nil {
			t.Errorf("%+v", late)
		}
		r.ReleaseAll("")
	})
}

// TestWaitReturnsFlowReleasedAtOnce: its client has left before the waiter looks.
func TestWaitReturnsFlowReleasedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules.New(rules.Options{})
		set(t, r, hold("~all"))
		next := make(chan []rules.Held, 1)
		go func() { next <- r.Wait(t.Context(), rules.Now) }()
		synctest.Wait()
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := r.Request(left, request("GET", "https://a/")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the client left", err)
		}
		if got := <-next; len(got) != 1 || got[0].Sequence != r.Last() {
			t.Errorf("got %+v, want the flow %d", got, r.Last())
		}
	})
}

// TestLastHeldFlowsAreRemembered: a thousand, of which the older half is forgotten when there is one more.
func TestLastHeldFlowsAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules.New(rules.Options{First: 7})
		set(t, r, hold("~all"))
		pass := func(n int) {
			for range n {
				ask(t.Context(), r, request("GET", "https://a/"))
			}
			synctest.Wait()
			r.ReleaseAll("")
		}
		if r.Last() != 6 {
			t.Errorf("before any the last is %d, want 6", r.Last())
		}
		pass(500)
		pass(500)
		if got := r.Wait(t.Context(), 0); len(got) != 1000 || got[0].Sequence != 7 || r.Last() != 1006 {
			t.Errorf("got %d from %d to %d, want 1000 from 7 to 1006", len(got), got[0].Sequence, r.Last())
		}
		pass(1)
		if got := r.Wait(t.Context(), 0); len(got) != 500 || got[0].Sequence != 508 || got[499].Sequence != 1007 {
			t.Errorf("got %d from %d, want 500 from 508", len(got), got[0].Sequence)
		}
	})
}

// TestReleaseReasonIsModifiedOnlyForChanges: one change of any kind is enough.
func TestReleaseReasonIsModifiedOnlyForChanges(t *testing.T) {
	text, status, body := "https://b/", 201, []byte(nil)
	for _, c := range []struct {
		change *flow.Change
		want   rules.Reason
	}{
		{nil, rules.Manual}, {&flow.Change{}, rules.Manual}, {&flow.Change{Status: &status}, rules.Modified},
		{&flow.Change{Set: flow.Header{{Name: "A", Value: "b"}}}, rules.Modified}, {&flow.Change{Remove: []string{"A"}}, rules.Modified},
		{&flow.Change{Body: &body}, rules.Modified}, {&flow.Change{URL: &text}, rules.Modified},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := rules.New(rules.Options{})
			phase, f := "~q", request("GET", "https://a/")
			if c.change != nil && c.change.Status != nil {
				phase, f = "~s", answered(f, 200)
			}
			set(t, r, hold(phase))
			came := ask(t.Context(), r, f)
			synctest.Wait()
			if err := r.Release(f.ID, "", c.change); err != nil {
				t.Fatal(err)
			}
			if got := r.Wait(t.Context(), 0)[0].Released; got != c.want {
				t.Errorf("released with %+v: got %s, want %s", c.change, got, c.want)
			}
			if o := <-came; (o.verdict.Change != nil) != (c.want == rules.Modified) {
				t.Errorf("released with %+v: got the change %+v", c.change, o.verdict.Change)
			}
		})
	}
}

// TestEachWaiterSeesEachFlowOnce: with everything at once, each waiter hears of each flow once.
func TestEachWaiterSeesEachFlowOnce(t *testing.T) {
	const flows, waiters = 40, 4
	r := rules.New(rules.Options{})
	set(t, r, hold("~all"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for w := range waiters {
		wg.Go(func() {
			after, seen := int64(0), map[string]int{}
			for len(seen) < flows {
				got := r.Wait(ctx, after)
				if got == nil {
					t.Error("a flow was missed")
					return
				}
				for _, h := range got {
					after = h.Sequence
					seen[h.Flow.ID]++
					if w == 0 {
						_ = r.Release(h.Flow.ID, "", nil)
					}
				}
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s came %d times", id, n)
				}
			}
		})
	}
	for i := range flows {
		wg.Go(func() { _, _ = r.Request(ctx, request("GET", "https://a/"+strconv.Itoa(i))) })
	}
	wg.Wait()
}

// TestClearedPatternHoldsNoFlow: a flow that the pattern looks at while it is cleared is not held by it afterwards.
func TestClearedPatternHoldsNoFlow(t *testing.T) {
	f := request("POST", "https://a/")
	f.Request.Body.Content = []byte(strings.Repeat("x", 20_000) + "y") // the pattern takes milliseconds for it
	for range 4 {
		synctest.Test(t, func(t *testing.T) {
			var h heard
			r := rules.New(rules.Options{Told: h.told})
			set(t, r, hold(`~bq "(x+x+)+y"`))
			begun, came := make(chan bool), make(chan error)
			go func() {
				close(begun)
				_, err := r.Request(t.Context(), f)
				came <- err
			}()
			<-begun
			set(t, r, rules.Config{})
			if err := <-came; err != nil || strings.Contains(h.said(), "timeout") {
				t.Errorf("%v: %s", err, h.said())
			}
		})
	}
}

func TestSetRefusesInvalidConfig(t *testing.T) {
	for _, c := range []struct {
		config rules.Config
		is     any
	}{
		{hold("~p /x"), new(*pattern.Error)},
		{hold("~e"), new(*fault.Fault)},
		{of(rules.Share{Hold: &rules.Intercept{Pattern: "~c 500", Request: true}}), new(*fault.Fault)},
		{of(rules.Share{Hold: &rules.Intercept{Pattern: "~q", Response: true}}), new(*fault.Fault)},
		{rules.Config{Mocks: []mock.Rule{{ID: "mock_00000001", Pattern: "~c 500"}}}, new(*mock.Error)},
	} {
		r := rules.New(rules.Options{})
		good := of(rules.Share{Only: "a"})
		set(t, r, good)
		if err := r.Set(c.config); err == nil || !errors.As(err, c.is) || fault.From(err).Hint == "" {
			t.Errorf("%+v: %v", c.config, err)
		}
		if !reflect.DeepEqual(r.Config(), good) {
			t.Errorf("half of it was set: %+v", r.Config())
		}
	}
}

func TestCheckChangeRefusesInvalidFields(t *testing.T) {
	text := func(s string) *string { return &s }
	number := func(n int) *int { return &n }
	body := func(size int) *[]byte { b := make([]byte, size); return &b }
	line := func(name, value string) flow.Header { return flow.Header{{Name: name, Value: value}} }
	for _, c := range []struct {
		change flow.Change
		phase  rules.Phase
		field  string // empty is right
	}{
		{flow.Change{Method: text("PATCH"), URL: text("https://b/x?y=1"), Set: line("X-A", "b")}, rules.AtRequest, ""},
		{flow.Change{Remove: []string{"cookie"}}, rules.AtRequest, ""},
		{flow.Change{Status: number(100)}, rules.AtResponse, ""},
		{flow.Change{Body: body(10 << 20)}, rules.AtRequest, ""},
		{flow.Change{Body: body(10<<20 + 1)}, rules.AtRequest, "body"},
		{flow.Change{Status: number(599), Set: line("X-A", "")}, rules.AtResponse, ""},
		{flow.Change{Method: text("GET x")}, rules.AtRequest, "method"},
		{flow.Change{Method: text("")}, rules.AtRequest, "method"},
		{flow.Change{Method: text("connect")}, rules.AtRequest, "method"},
		{flow.Change{Method: text("GET")}, rules.AtResponse, "method"},
		{flow.Change{URL: text("/x")}, rules.AtRequest, "url"},
		{flow.Change{URL: text("ftp://a/x")}, rules.AtRequest, "url"},
		{flow.Change{URL: text("https:///x")}, rules.AtRequest, "url"},
		{flow.Change{URL: text("https://a/ x")}, rules.AtRequest, "url"},
		{flow.Change{URL: text("https://a/\r\nHost: b")}, rules.AtRequest, "url"},
		{flow.Change{URL: text("https://a/")}, rules.AtResponse, "url"},
		{flow.Change{Status: number(99)}, rules.AtResponse, "status"},
		{flow.Change{Status: number(600)}, rules.AtResponse, "status"},
		{flow.Change{Status: number(200)}, rules.AtRequest, "status"},
		{flow.Change{Set: line("X A", "b")}, rules.AtRequest, "headers"},
		{flow.Change{Set: line("X-A", "b\r\nX-B: c")}, rules.AtRequest, "headers"},
		{flow.Change{Set: line("Content-Length", "3")}, rules.AtRequest, "headers"},
		{flow.Change{Remove: []string{"a\n"}}, rules.AtResponse, "headers"},
	} {
		err := rules.CheckChange(&c.change, c.phase)
		e := (*rules.ChangeError)(nil)
		errors.As(err, &e)
		if (err == nil) != (c.field == "") || e != nil && (e.Field != c.field || fault.From(err).Code != fault.InvalidInput) {
			t.Errorf("field %q at %s: got %v", c.field, c.phase, err)
		}
	}
}
