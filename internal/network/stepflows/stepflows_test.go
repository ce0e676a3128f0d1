package stepflows_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/stepflows"
	"ios-agent/internal/op"
)

// wire is the proxy's process as we see it: the requests of one device, and a catalogue whose calls act on that device or look at it.
type wire struct {
	*op.Catalogue
	stopped bool
	silent  error
	flows   []flow.Facets
	acts    int
	during  func()
}

// Runs reports whether there is a proxy.
func (w *wire) Runs() bool { return !w.stopped }

// Recent are the requests since a moment.
func (w *wire) Recent(_ context.Context, s proxy.Span) (out []flow.Facets, err error) {
	for _, f := range w.flows {
		if s.Device == "U" && !f.Started.Before(s.From) {
			out = append(out, f)
		}
	}
	return out, w.silent
}

// send begins a request that is not answered yet; answer ends it.
func (w *wire) send(method, path string) {
	w.flows = append(w.flows, flow.Facets{
		ID: fmt.Sprint("f", len(w.flows)), Started: time.Now(), State: flow.Open, Method: method, URL: "http://shop.test" + path,
	})
	time.Sleep(time.Millisecond) // the next step begins later
}

func (w *wire) answer(status int) {
	for i := range w.flows {
		if f := &w.flows[i]; !f.Finished() {
			f.State, f.Status = flow.Done, status
		}
	}
}

// in runs a test on a wire, whose clock is the test's.
func in(t *testing.T, test func(*testing.T, *wire)) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		do := func(_ context.Context, c *op.Call, _ struct{}) (struct{}, error) {
			c.Device = &op.Device{UDID: "U"}
			if !c.Hints.Has(op.ReadOnly) {
				c.Act()
			}
			time.Sleep(time.Second)
			if w.during != nil {
				w.during()
			}
			return struct{}{}, nil
		}
		w.Catalogue = op.NewCatalogue([]op.Op{
			op.New(op.Spec{Name: "act", Groups: []string{"x"}, Summary: "Act"}, do),
			op.New(op.Spec{Name: "look", Groups: []string{"x"}, Summary: "Look", Hints: op.ReadOnly}, do),
		}, op.Options{Observers: []op.Observer{
			stepflows.New(stepflows.Options{Proxy: w, Acts: func() { w.acts++ }}), steps.New(steps.Options{}),
		}})
		test(t, w)
	})
}

// call makes a call of ada's, and gives what its answer tells of requests, with the figures.
func (w *wire) call(t *testing.T, name string, during func()) string {
	t.Helper()
	w.during = during
	e := w.Run(t.Context(), name, op.Call{Session: "ada"}, nil)
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	var told []string
	for _, n := range e.Meta.Notices {
		told = append(told, n.String())
	}
	if e.Meta.Net != nil {
		told = append(told, fmt.Sprintf("%+v", *e.Meta.Net))
	}
	return strings.Join(told, "\n")
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAnswerReportsRequestsOfItsStep: their number, the open ones, and the first failure; earlier requests do not count.
func TestAnswerReportsRequestsOfItsStep(t *testing.T) {
	in(t, func(t *testing.T, w *wire) {
		w.send("GET", "/before")
		same(t, w.call(t, "act", nil), "")
		same(t, w.call(t, "act", func() {
			w.send("GET", "/products")
			w.send("POST", "/order")
			w.answer(500)
			w.send("GET", "/slow")
		}), "net: 3 requests, 1 not answered yet, 2 failed: GET /products 500 ("+hint.Do("list_flows", "step", "last")+")\n"+
			"{Count:3 Failed:2 Open:1 First:GET /products 500 Late:0 Since:}")
		if w.acts < 4 {
			t.Errorf("two steps told the capture %d times, want at their beginnings and ends", w.acts)
		}
	})
}

// TestNextAnswerReportsLateRequests, once, under its step, and not after a minute.
func TestNextAnswerReportsLateRequests(t *testing.T) {
	in(t, func(t *testing.T, w *wire) {
		same(t, w.call(t, "look", func() { w.send("GET", "/nobody") }), "")
		same(t, w.call(t, "act", func() { w.send("POST", "/order") }), "net: 1 request, 1 not answered yet\n"+
			"{Count:1 Failed:0 Open:1 First: Late:0 Since:}")
		w.answer(500)
		same(t, w.call(t, "look", nil), "net: 1 request since step s1, 1 failed: POST /order 500\n"+
			"{Count:0 Failed:0 Open:0 First:POST /order 500 Late:1 Since:s1}")
		same(t, w.call(t, "look", nil), "")
		w.send("GET", "/late")
		same(t, w.call(t, "act", func() { w.answer(200); w.send("GET", "/own"); w.answer(200) }),
			"net: 1 request since step s1\nnet: 1 request\n{Count:1 Failed:0 Open:0 First: Late:1 Since:s1}")
		w.send("GET", "/very-late")
		time.Sleep(2 * time.Minute)
		w.answer(200)
		same(t, w.call(t, "look", nil), "")
	})
}

// TestAnswersHaveNoRequestsWithoutProxy, nor when it does not answer, nor of calls without a device.
func TestAnswersHaveNoRequestsWithoutProxy(t *testing.T) {
	in(t, func(t *testing.T, w *wire) {
		w.stopped = true
		same(t, w.call(t, "act", func() { w.send("GET", "/") }), "")
		w.stopped, w.silent = false, errors.New("it does not answer")
		same(t, w.call(t, "act", func() { w.send("GET", "/") }), "")
		if e := w.Run(t.Context(), "no_such", op.Call{}, nil); len(e.Meta.Notices) != 0 {
			t.Errorf("got %s", e.Text())
		}
	})
}
