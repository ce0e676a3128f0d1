package capture_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/spool"
	"ios-agent/internal/telemetry"
)

// home is a daemon's store and capture, and the proxy's end of the spool.
type home struct {
	t     testing.TB
	dir   string
	now   time.Time
	store *telemetry.Store
	c     *capture.Capture
	w     *spool.Writer
}

func newHome(t testing.TB, o capture.Options) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)}
	h.open(o)
	w, err := spool.NewWriter(spool.Options{Dir: filepath.Join(h.dir, "spool"), SegmentBytes: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	h.w = w
	t.Cleanup(func() { w.Close() })
	return h
}

// open begins a daemon.
func (h *home) open(o capture.Options) {
	o.Now = func() time.Time { return h.now }
	h.store = telemetry.New(telemetry.Options{Path: filepath.Join(h.dir, "telemetry.db"), Hide: o.Hide, Now: o.Now})
	o.Store, o.Spool, o.Bodies = h.store, filepath.Join(h.dir, "spool"), filepath.Join(h.dir, "bodies")
	h.c = capture.New(o)
	c, s := h.c, h.store
	h.t.Cleanup(func() { c.Close(); s.Close() })
}

// tell has the proxy see flows.
func (h *home) tell(flows ...flow.Flow) {
	for _, f := range flows {
		h.w.Tell(f)
	}
	h.w.Flush()
}

func (h *home) query(q flow.Filter, p capture.Page) ([]flow.Flow, int) {
	h.t.Helper()
	flows, total, err := h.c.Query(h.t.Context(), q, p)
	if err != nil {
		h.t.Fatal(err)
	}
	return flows, total
}

func (h *home) lines() (out []string) {
	h.t.Helper()
	page, err := h.store.Query(h.t.Context(), telemetry.Query{Sources: []telemetry.Source{telemetry.Proxy}})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range page.Entries {
		out = append(out, fmt.Sprintf("%v %s", e.Level, e.Message))
	}
	return out
}

func order(id string, status int) flow.Flow {
	f := flow.Flow{
		ID: id, State: flow.Done, Started: time.Date(2026, 11, 16, 11, 59, 0, 0, time.UTC),
		Request: flow.Request{Method: "POST", URL: "https://shop.example/order?token=abc", Protocol: "HTTP/1.1"},
		Timing:  flow.Timing{Total: 123.4}, Client: flow.Client{Simulator: "SIM", App: "com.example.shop", Process: "Shop", PID: 7},
	}
	if status > 0 {
		f.Response = &flow.Response{Status: status}
	}
	return f
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomFlow(r *rand.Rand, id int) flow.Flow {
	f := flow.Flow{
		ID: fmt.Sprintf("f_%012x", id), Started: time.Date(2026, 11, 16, 11, 0, r.IntN(60), 0, time.UTC),
		State:   pick(r, flow.Open, flow.Held, flow.Done, flow.Failed),
		Client:  flow.Client{Simulator: pick(r, "", "A", "B"), App: pick(r, "", "x", "y"), Address: pick(r, "", "10.0.0.1:5", "[::1]:7")},
		Timing:  flow.Timing{Total: pick(r, 0, 1.5, 999, 3000)},
		Request: flow.Request{Method: pick(r, "GET", "POST", "get")},
	}
	f.Request.URL = pick(r, "http", "https", "wss") + "://" + pick(r, "a.example", "A.example", "b.example:8443", "[::1]:80", "u:p@c.e") +
		pick(r, "", "/", "/Order", "/order?x=a\tb", "?q=order", "/ö%20/\x00", "/a//b#order")
	if f.State == flow.Failed {
		f.Trouble = flow.Trouble{Kind: pick(r, flow.NoServer, ""), Error: pick(r, "", "no\tserver\nthere", strings.Repeat("ö", 300))}
	}
	if r.IntN(3) > 0 {
		f.Response = &flow.Response{Status: pick(r, 101, 200, 204, 302, 399, 400, 404, 499, 500, 503)}
	}
	return f
}

func randomFilter(r *rand.Rand, last int64) (q flow.Filter) {
	yes, no := true, false
	at := func() time.Time { return time.Date(2026, 11, 16, 11, 0, r.IntN(60), 0, time.UTC) }
	for range r.IntN(4) {
		switch r.IntN(10) {
		case 0:
			q.Host = pick(r, "a.example", "b.example", "b.example:8443", "::1", "c.e", "example")
		case 1:
			q.Path = pick(r, "order", "Order", "/", "a\tb", "\x00", "q=")
		case 2:
			q.Method = pick(r, "GET", "post")
		case 3:
			q.StatusMin = pick(r, 200, 400, 500)
		case 4:
			q.StatusMax = pick(r, 204, 399, 499)
		case 5:
			q.HasError = pick(r, &yes, &no)
		case 6:
			q.Since = at()
		case 7:
			q.Until = at()
		case 8:
			q.Device, q.App = pick(r, "", "A", "B"), pick(r, "", "x", "y")
		case 9:
			q.After, q.Finished = pick(r, 0, r.Int64N(last+1)), pick(r, true, false)
		}
	}
	q.ClientIP = pick(r, "", "", "", "", "10.0.0.1", "::1")
	return q
}

// TestQueryMatchesFilterOverAllFlows: what a query gives is what a filter over all flows in memory gives, whatever is asked, while flows
// come, get further, and the daemon begins anew.
func TestQueryMatchesFilterOverAllFlows(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	h := newHome(t, capture.Options{})
	var all []flow.Flow // in the order of their arrival
	for round := range 6 {
		fresh := map[string]bool{}
		for range r.IntN(50) {
			f := randomFlow(r, r.IntN(200))
			if fresh[f.ID] {
				continue // which of two is stored with which number depends on when the spool is read
			}
			fresh[f.ID] = true
			h.tell(f)
			all = append(slices.DeleteFunc(all, func(o flow.Flow) bool { return o.ID == f.ID }), f)
		}
		if round == 3 {
			if err := errors.Join(h.c.Close(), h.store.Close()); err != nil {
				t.Fatal(err)
			}
			h.open(capture.Options{})
		}
		stored, total := h.query(flow.Filter{}, capture.Page{Limit: 1000})
		if total != len(all) {
			t.Fatalf("seed %d: %d flows, not %d", seed, total, len(all))
		}
		last := int64(0)
		for i := range stored {
			if stored[i].Number <= last {
				t.Fatalf("seed %d: number %d after %d", seed, stored[i].Number, last)
			}
			last, all[i].Number = stored[i].Number, stored[i].Number
		}
		if !reflect.DeepEqual(stored, all) && len(all) > 0 {
			t.Fatalf("seed %d: %+v\nnot %+v", seed, stored, all)
		}
		for range 20 {
			checkQuery(t, h, all, randomFilter(r, last), capture.Page{Limit: 1 + r.IntN(40), Offset: r.IntN(30), Newest: r.IntN(2) == 0}, seed)
		}
	}
}

func checkQuery(t *testing.T, h *home, all []flow.Flow, q flow.Filter, p capture.Page, seed uint64) {
	t.Helper()
	var want []flow.Flow
	for i := range all {
		if q.Fits(&all[i]) {
			want = append(want, all[i])
		}
	}
	fit := len(want)
	if p.Newest {
		slices.Reverse(want)
	}
	want = want[min(p.Offset, fit):]
	want = want[:min(p.Limit, len(want))]
	got, total := h.query(q, p)
	if total != fit || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d: %+v %+v: %d of %d, not %d of %d", seed, q, p, len(got), total, len(want), fit)
	}
	list, total, err := h.c.List(t.Context(), q, p)
	if err != nil || total != fit || len(list) != len(want) {
		t.Fatalf("seed %d: %+v: list %d of %d %v", seed, q, len(list), total, err)
	}
	for i := range list {
		if list[i].ID != want[i].ID || list[i].Number != want[i].Number {
			t.Fatalf("seed %d: %+v: list has %+v", seed, q, list[i])
		}
	}
}

// TestFilterAcceptsMatchingFlows: the flows that each field accepts.
func TestFilterAcceptsMatchingFlows(t *testing.T) {
	f := order("f_1", 404)
	none := order("f_2", 0)
	none.State, none.Trouble = flow.Failed, flow.Trouble{Kind: flow.NoServer, Error: "nothing answers"}
	open := order("f_3", 0)
	open.State = flow.Open
	yes, no := true, false
	for name, c := range map[string]struct {
		q    flow.Filter
		want string // of 404, failed, open
	}{
		"all":                {flow.Filter{}, "404 failed open"},
		"host":               {flow.Filter{Host: "SHOP.example"}, "404 failed open"},
		"part of a host":     {flow.Filter{Host: "example"}, ""},
		"path":               {flow.Filter{Path: "rder?tok"}, "404 failed open"},
		"path, capitals":     {flow.Filter{Path: "Order"}, ""},
		"method":             {flow.Filter{Method: "post"}, "404 failed open"},
		"at least":           {flow.Filter{StatusMin: 404}, "404"},
		"at most":            {flow.Filter{StatusMax: 499}, "404"},
		"below":              {flow.Filter{StatusMax: 403}, ""},
		"error":              {flow.Filter{HasError: &yes}, "failed"},
		"no error":           {flow.Filter{HasError: &no}, "404 open"},
		"device":             {flow.Filter{Device: "SIM", App: "com.example.shop"}, "404 failed open"},
		"other app":          {flow.Filter{App: "com.example"}, ""},
		"since its start":    {flow.Filter{Since: f.Started, Until: f.Started}, "404 failed open"},
		"since after it":     {flow.Filter{Since: f.Started.Add(1)}, ""},
		"until before it":    {flow.Filter{Until: f.Started.Add(-1)}, ""},
		"finished":           {flow.Filter{Finished: true}, "404 failed"},
		"after a number":     {flow.Filter{After: 1}, ""},
		"another address":    {flow.Filter{ClientIP: "10.0.0.1"}, ""},
		"another port":       {flow.Filter{Host: "shop.example:8443"}, ""},
		"status, both sides": {flow.Filter{StatusMin: 400, StatusMax: 404}, "404"},
	} {
		var got []string
		f.Number, none.Number, open.Number = 1, 1, 1
		for word, one := range map[string]*flow.Flow{"404": &f, "failed": &none, "open": &open} {
			if c.q.Fits(one) {
				got = append(got, word)
			}
		}
		if slices.Sort(got); strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, not %s", name, got, c.want)
		}
	}
}

// TestFlowIsStoredOnceWithLastState: open, held and done, it is stored once, with its last state and a new number; a failure becomes one
// line.
func TestFlowIsStoredOnceWithLastState(t *testing.T) {
	h := newHome(t, capture.Options{})
	f := order("f_1", 0)
	numbers := []int64{0}
	for _, state := range []flow.State{flow.Open, flow.Held, flow.Open, flow.Done} {
		if f.State = state; state == flow.Done {
			f.Response = &flow.Response{Status: 500}
		}
		h.tell(f)
		got, found, err := h.c.Get(t.Context(), "f_1")
		if err != nil || !found || got.State != state || got.Number <= numbers[len(numbers)-1] {
			t.Fatalf("%s: %+v %v %v", state, got, found, err)
		}
		numbers = append(numbers, got.Number)
	}
	if _, total := h.query(flow.Filter{}, capture.Page{}); total != 1 {
		t.Errorf("%d flows", total)
	}
	if got := h.lines(); !slices.Equal(got, []string{"error POST /order 500 (123 ms) shop.example"}) {
		t.Error(got)
	}
	if _, found, err := h.c.Get(t.Context(), "f_2"); found || err != nil {
		t.Error(found, err)
	}
}

// TestLogLevelFollowsFlowResult: the severity of a flow's result, as in quern; a successful flow gives no line.
func TestLogLevelFollowsFlowResult(t *testing.T) {
	h := newHome(t, capture.Options{})
	h.tell(order("f_1", 200), order("f_2", 404), order("f_3", 503), order("f_4", 0))
	broken := order("f_5", 0)
	broken.State, broken.Trouble = flow.Failed, flow.Trouble{Kind: flow.AppRefused, Error: "tls: the app refused our certificate"}
	open := order("f_6", 0)
	open.State = flow.Open
	h.tell(broken, open)
	h.query(flow.Filter{}, capture.Page{})
	want := []string{
		"warning POST /order 404 (123 ms) shop.example", "error POST /order 503 (123 ms) shop.example",
		"warning POST /order failed: no response (123 ms) shop.example",
		"error POST /order failed: tls: the app refused our certificate (123 ms) shop.example",
	}
	if got := h.lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestOpenFlowsFailWhenProxyEnds: flows that were open when the proxy died have failed, also when the daemon died with it.
func TestOpenFlowsFailWhenProxyEnds(t *testing.T) {
	h := newHome(t, capture.Options{})
	open, held := order("f_1", 0), order("f_2", 0)
	open.State, held.State = flow.Open, flow.Held
	h.tell(open, held, order("f_3", 200))
	if err := errors.Join(h.w.Close(), h.c.Close(), h.store.Close()); err != nil {
		t.Fatal(err)
	}
	h.open(capture.Options{})
	for _, want := range []int{2, 0} {
		if n, err := h.c.Ended(t.Context()); n != want || err != nil {
			t.Errorf("%d ended, not %d: %v", n, want, err)
		}
	}
	yes := true
	failed, _ := h.query(flow.Filter{HasError: &yes}, capture.Page{})
	if len(failed) != 2 || failed[0].Kind != flow.ProxyEnded || failed[0].State != flow.Failed {
		t.Errorf("%+v", failed)
	}
}

// TestKnownSecretsAreNotStored: in headers, URLs and bodies, also such as no field of JSON shows; a number that is like one harms nothing.
func TestKnownSecretsAreNotStored(t *testing.T) {
	h := newHome(t, capture.Options{Hide: func(s string) string {
		return strings.NewReplacer("hunter2", "$SECRET:pw", "2026", "$SECRET:pin", "123", "$SECRET:pin").Replace(s)
	}})
	f := order("f_1", 401)
	f.Request.URL = "https://shop.example/login?pw=hunter2"
	f.Request.Header = flow.Header{{Name: "X-Pw", Value: "hunter2"}}
	f.Request.Body = flow.Body{Content: []byte("\xff\x00hunter2\x00")}
	f.Messages = []flow.Message{{Data: []byte("hunter2")}}
	h.tell(f)
	got, total := h.query(flow.Filter{Path: "/login"}, capture.Page{})
	if total != 1 {
		t.Fatal("it is not found")
	}
	if !slices.Equal(got[0].Hidden, []string{"url", "request header X-Pw", "request body", "message 1"}) || got[0].Timing.Total != 123.4 {
		t.Errorf("%+v", got[0])
	}
	if err := errors.Join(h.c.Close(), h.store.Close()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(h.dir, "telemetry.db"))
	if err != nil || strings.Contains(string(raw), "hunter2") || strings.Contains(string(raw), "aHVudGVyM") {
		t.Error("the secret is in the file", err)
	}
}

// TestWaitFindsPresentAndLaterFlows: for a flow that is there, that comes, that gets that far; a wait that ends says so. Nobody misses one
// that comes meanwhile.
func TestWaitFindsPresentAndLaterFlows(t *testing.T) {
	h := newHome(t, capture.Options{})
	h.tell(order("f_1", 200), order("f_2", 200))
	got, err := h.c.Wait(t.Context(), flow.Filter{Method: "post"}, 0)
	if err != nil || got.ID != "f_1" {
		t.Fatalf("%+v %v", got, err)
	}
	if got, err = h.c.Wait(t.Context(), flow.Filter{}, got.Number); err != nil || got.ID != "f_2" {
		t.Fatalf("%+v %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.c.Wait(ctx, flow.Filter{StatusMin: 500}, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	after := got.Number
	found := make(chan flow.Flow)
	for range 20 {
		go func() {
			f, err := h.c.Wait(t.Context(), flow.Filter{StatusMin: 500}, after)
			if err != nil {
				t.Error(err)
			}
			found <- f
		}()
	}
	open := order("f_3", 0)
	open.State = flow.Open
	h.tell(open)
	h.c.Ring()
	h.tell(order("f_3", 503))
	h.c.Ring()
	for range 20 {
		if f := <-found; f.ID != "f_3" || f.Response.Status != 503 || f.Number <= after {
			t.Errorf("%+v", f)
		}
	}
}

// TestSummaryCountsEachFinishedFlowOnce: of a window, of a host, and since a cursor: each finished flow is in one summary, also one that
// began before.
func TestSummaryCountsEachFinishedFlowOnce(t *testing.T) {
	h := newHome(t, capture.Options{})
	open := order("f_0", 0)
	open.State = flow.Open
	old := order("f_9", 200)
	old.Started = h.now.Add(-time.Hour)
	broken := order("f_3", 0)
	broken.State, broken.Trouble, broken.Timing = flow.Failed, flow.Trouble{Kind: flow.NoServer, Error: "nothing answers"}, flow.Timing{}
	slow := order("f_4", 200)
	slow.Timing.Total, slow.Request.URL, slow.Request.Method = 1000.4, "https://CDN.example:8443/big", "GET"
	h.tell(open, old, order("f_1", 500), order("f_2", 404), broken, slow, order("f_5", 500))
	sum, cursor, err := h.c.Summary(t.Context(), capture.SummaryQuery{Window: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	at := order("", 0).Started
	want := flow.Summary{
		Total: 5, Failed: 4,
		ByHost: []flow.HostCount{
			{Host: "shop.example", Total: 4, ClientErrors: 1, ServerErrors: 2, ConnectionErrors: 1, AvgMS: 123.4},
			{Host: "cdn.example", Total: 1, Success: 1, AvgMS: 1000.4},
		},
		Errors: []flow.ErrorPattern{
			{Pattern: "POST /order -> 500", Count: 2, First: at, Last: at}, {Pattern: "POST /order -> 404", Count: 1, First: at, Last: at},
			{Pattern: "POST /order -> error (nothing answers)", Count: 1, First: at, Last: at},
		},
		Slow: []flow.SlowRequest{{ID: "f_4", Method: "GET", URL: "https://CDN.example:8443/big", TotalMS: 1000.4, Status: 200}},
	}
	if got := plain(sum); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", plain(want)) {
		t.Errorf("%+v\nnot %+v", got, plain(want))
	}
	said := "5 requests to 2 hosts, 4 failed; most often POST /order -> 500 (2 times); slowest GET https://CDN.example:8443/big (1000 ms)."
	if sum.Prose != said {
		t.Errorf("%q", sum.Prose)
	}
	if one, _, _ := h.c.Summary(t.Context(), capture.SummaryQuery{Host: "cdn.example"}); one.Total != 1 {
		t.Errorf("%+v", one)
	}
	h.tell(order("f_0", 500)) // it began before the cursor
	next, _, err := h.c.Summary(t.Context(), capture.SummaryQuery{Window: time.Nanosecond, Cursor: cursor})
	if err != nil || next.Total != 1 || next.Prose != "1 request to 1 host, 1 failed; most often POST /order -> 500 (1 time)." {
		t.Errorf("%+v %v", next, err)
	}
	var bad *telemetry.CursorError
	if _, _, err := h.c.Summary(t.Context(), capture.SummaryQuery{Cursor: "yesterday"}); !errors.As(err, &bad) {
		t.Error(err)
	}
}

// plain leaves out the prose and what is not exported.
func plain(s flow.Summary) string {
	var hosts []string
	for _, h := range s.ByHost {
		hosts = append(hosts, fmt.Sprint(h.Host, h.Total, h.Success, h.ClientErrors, h.ServerErrors, h.ConnectionErrors, h.AvgMS))
	}
	return fmt.Sprintf("%d %d %v %+v %+v", s.Total, s.Failed, hosts, s.Errors, s.Slow)
}

// TestFlowStorageIsDelayedWhileDriving: while a device is driven, flows are stored up to a second late; a query gets them at once.
func TestFlowStorageIsDelayedWhileDriving(t *testing.T) {
	h := newHome(t, capture.Options{})
	stored := func() int {
		heads, err := h.store.Heads(t.Context(), capture.Kind)
		if err != nil {
			t.Fatal(err)
		}
		return len(heads)
	}
	h.w.Tell(order("f_1", 200))
	h.w.Flush()
	began := time.Now()
	h.c.ActsUntil(began.Add(time.Hour)) // a busy machine would call Acts too seldom
	h.c.Ring()
	for stored() == 0 {
	}
	if late := time.Since(began); late < 900*time.Millisecond {
		t.Errorf("it was stored after %s", late)
	}
	h.w.Tell(order("f_2", 200))
	h.w.Flush()
	h.c.Acts()
	h.c.Ring()
	if err := h.c.Sync(t.Context()); err != nil || stored() != 2 {
		t.Errorf("%d, %v", stored(), err)
	}
}

// TestStoreKeepsNewestFlowsAndBodies: the newest flows stay, and the newest bodies.
func TestStoreKeepsNewestFlowsAndBodies(t *testing.T) {
	h := newHome(t, capture.Options{MostFlows: 500, MostBodies: 2500})
	bodies := filepath.Join(h.dir, "bodies")
	if err := os.Mkdir(bodies, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		name := filepath.Join(bodies, fmt.Sprintf("f_%d.response", i))
		if err := os.WriteFile(name, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, h.now.Add(time.Duration(-i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2100 {
		h.w.Tell(order(fmt.Sprintf("f_%d", i), 200))
		if i%300 == 99 {
			h.w.Flush()
			h.query(flow.Filter{}, capture.Page{Limit: 1})
		}
	}
	h.w.Flush()
	first, total := h.query(flow.Filter{}, capture.Page{Limit: 1})
	if total != 500 || first[0].ID != "f_1600" {
		t.Errorf("%d flows from %s on", total, first[0].ID)
	}
	left, err := filepath.Glob(filepath.Join(bodies, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[1]) != "f_1.response" {
		t.Error(left, err)
	}
}

// TestBodiesAreReadOnlyFromTheirFolder: whole from their files, or it is said why not; no name leads out of the folder.
func TestBodiesAreReadOnlyFromTheirFolder(t *testing.T) {
	h := newHome(t, capture.Options{Hide: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }})
	if err := os.Mkdir(filepath.Join(h.dir, "bodies"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bodies/a": "whole hunter2", "outside": "private"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		body flow.Body
		want string
		cut  bool
	}{
		"inline":    {body: flow.Body{Content: []byte("x")}, want: "x"},
		"none":      {},
		"file":      {body: flow.Body{Content: []byte("who"), Cut: true, File: "a", Size: 13}, want: "whole ***"},
		"cut":       {body: flow.Body{Content: []byte("who"), Cut: true}, want: "who", cut: true},
		"file cut":  {body: flow.Body{Content: []byte("who"), Cut: true, File: "a", Size: 99, FileCut: true}, want: "whole ***", cut: true},
		"undecoded": {body: flow.Body{Content: []byte("who"), Cut: true, File: "a", Size: 13, Coding: "br"}, want: "who", cut: true},
		"gone":      {body: flow.Body{Content: []byte("who"), Cut: true, File: "b", Size: 13}, want: "who", cut: true},
		"outside":   {body: flow.Body{Content: []byte("who"), Cut: true, File: "../outside", Size: 7}, want: "who", cut: true},
		"absolute":  {body: flow.Body{Content: []byte("who"), Cut: true, File: filepath.Join(h.dir, "outside"), Size: 7}, want: "who", cut: true},
		"folder":    {body: flow.Body{Content: []byte("who"), Cut: true, File: "..", Size: 7}, want: "who", cut: true},
		"too much":  {body: flow.Body{Content: []byte("who"), Cut: true, File: "a", Size: 1001}, want: "who", cut: true},
	} {
		f := flow.Flow{Request: flow.Request{Body: c.body}, Response: &flow.Response{Body: c.body}}
		done, err := h.c.Fill(t.Context(), &f, 1000)
		done()
		for _, got := range []flow.Body{f.Request.Body, f.Response.Body} {
			if string(got.Content) != c.want || got.Cut != c.cut || err != nil {
				t.Errorf("%s: got %+v, %v, want %q", name, got, err, c.want)
			}
		}
	}
}

// TestConcurrentBodyReadsAreBounded: over all calls, packed ones with what they may unpack to; who finds no room waits for it. What
// unpacks to more than is wanted stays cut.
func TestConcurrentBodyReadsAreBounded(t *testing.T) {
	h := newHome(t, capture.Options{MostFilled: 1000, Decode: func(_ string, _ []byte, most int64) ([]byte, error) {
		return make([]byte, min(most, 700)), nil
	}})
	if err := os.Mkdir(filepath.Join(h.dir, "bodies"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "bodies", "a"), make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	fill := func(ctx context.Context, most int64) (flow.Body, func(), error) {
		f := flow.Flow{Request: flow.Request{Body: flow.Body{Cut: true, File: "a", Size: 10, Coding: "br"}}}
		done, err := h.c.Fill(ctx, &f, most)
		return f.Request.Body, done, err
	}
	body, done, err := fill(t.Context(), 600)
	if len(body.Content) != 0 || !body.Cut || err != nil {
		t.Errorf("got %d bytes, cut %v, %v, want what unpacks to 700 bytes cut", len(body.Content), body.Cut, err)
	}
	done()
	body, done, err = fill(t.Context(), 700)
	if len(body.Content) != 700 || body.Cut || err != nil {
		t.Errorf("got %d bytes, cut %v, %v, want 700", len(body.Content), body.Cut, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := fill(ended, 700); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v beside another call's 710 of 1000 bytes, want it to wait", err)
	}
	next := make(chan error)
	go func() {
		_, done, err := fill(t.Context(), 700)
		done()
		next <- err
	}()
	done()
	if err := <-next; err != nil {
		t.Errorf("got %v after the other call was done, want its turn", err)
	}
}

// TestDeleteRemovesFlowsAndBodies: flows and bodies are gone, and do not come back with the next daemon; later flows are stored.
func TestDeleteRemovesFlowsAndBodies(t *testing.T) {
	h := newHome(t, capture.Options{})
	if err := os.MkdirAll(filepath.Join(h.dir, "bodies"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, both := range map[string]bool{"flows": false, "the whole store": true} {
		if err := os.WriteFile(filepath.Join(h.dir, "bodies", "a"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		h.tell(order("f_1", 200))
		h.query(flow.Filter{}, capture.Page{})
		h.tell(order("f_2", 200)) // nobody read it yet
		if err := h.c.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		if both {
			if err := h.store.Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		h.tell(order("f_3", 200))
		for range 2 {
			got, total := h.query(flow.Filter{}, capture.Page{})
			if total != 1 || got[0].ID != "f_3" {
				t.Errorf("%s: %+v", name, got)
			}
			if err := errors.Join(h.c.Close(), h.store.Close()); err != nil {
				t.Fatal(err)
			}
			h.open(capture.Options{})
		}
		if left, err := os.ReadDir(filepath.Join(h.dir, "bodies")); err != nil || len(left) != 0 {
			t.Error(left, err)
		}
	}
}

// TestMissingFlowsAreReportedWithReasons: dropped flows and torn lines become lines of the log, and reasons why there are fewer flows.
func TestMissingFlowsAreReportedWithReasons(t *testing.T) {
	h := newHome(t, capture.Options{})
	found, err := filepath.Glob(filepath.Join(h.dir, "spool", "*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.WriteFile(found[0], []byte("{\"dropped\":7,\"why\":\"the disk is full\"}\n{\"flow\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.query(flow.Filter{}, capture.Page{})
	want := []string{"warning 7 requests are missing here: the disk is full",
		"warning 1 requests are missing here: the proxy ended while it wrote them"}
	if got := h.lines(); !slices.Equal(got, want) {
		t.Errorf("log lines = %q, want %q", got, want)
	}
	want = []string{"7 requests lost: the disk is full", "1 request lost: the proxy ended while it wrote them"}
	if got := h.c.Missing(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
