package mitm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
)

// TestRuleChangesApplyToRequestAndResponse: the changes of the rules apply to request and answer, and the flow has the sent bytes.
func TestRuleChangesApplyToRequestAndResponse(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, req *http.Request) {
				body, _ := io.ReadAll(req.Body)
				w.Header().Set("Content-Encoding", "x-none")
				w.Header().Set("X-Old", "1")
				fmt.Fprintf(w, "%s %s %s %v %v %d", req.Method, req.URL, body, req.Header["X-Two"], req.Header["X-Gone"], req.ContentLength)
			}, http2)
			method, to, body, status, answer := "PUT", s.URL+"/other", []byte("changed"), 418, []byte("another answer")
			r.look = flow.Look{RequestBody: true, Response: true, ResponseBody: true}
			r.request = func(_ context.Context, f *flow.Flow) (flow.Verdict, error) {
				if string(f.Request.Body.Content) != "original" || f.Request.Body.Cut {
					t.Errorf("the rules see %+v", f.Request.Body)
				}
				return flow.Verdict{Change: &flow.Change{
					Method: &method, URL: &to, Body: &body, Remove: []string{"x-gone"},
					Set: flow.Header{{Name: "x-two", Value: "1"}, {Name: "X-Two", Value: "2"}},
				}}, nil
			}
			var before string
			r.response = func(_ context.Context, f *flow.Flow) (flow.Verdict, error) {
				before = string(f.Response.Body.Content)
				if string(f.Request.Body.Content) != "changed" {
					t.Errorf("with the answer, the rules see the request %+v", f.Request.Body)
				}
				return flow.Verdict{Change: &flow.Change{Status: &status, Body: &answer, Set: flow.Header{{Name: "X-New", Value: "1"}},
					Remove: []string{"X-Old"}}}, nil
			}
			req, err := http.NewRequest(http.MethodPost, s.URL+"/order", strings.NewReader("original"))
			must(t, err)
			req.Header.Set("X-Two", "0")
			req.Header.Set("X-Gone", "0")
			resp, got := r.do(r.client(http2), req)
			if before != "PUT /other changed [1 2] [] 7" {
				t.Errorf("the server saw %q", before)
			}
			h := resp.Header
			if resp.StatusCode != 418 || got != "another answer" || h.Get("X-New") != "1" || h.Get("X-Old") != "" ||
				h.Get("Content-Encoding") != "" {
				t.Errorf("%+v %q", resp, got)
			}
			f := r.done()
			if !f.Changed || f.Request.Method != "PUT" || f.Request.URL != to || string(f.Request.Body.Content) != "changed" ||
				f.Response.Status != 418 || string(f.Response.Body.Content) != "another answer" || f.Response.Header.Get("X-New") != "1" {
				t.Errorf("%+v %+v", f.Request, f.Response)
			}
		})
	}
}

// TestMockAnswersWithoutServer: a mock answers, the server gets no request, and the request is recorded with its body, once.
func TestMockAnswersWithoutServer(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, nil)
			r.request = func(context.Context, *flow.Flow) (flow.Verdict, error) {
				return flow.Verdict{Answer: &flow.Answer{
					Rule: "mock_1", Status: 500, Body: []byte(`{"error":"sold out"}`), Delay: time.Millisecond,
					Header: flow.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Set-Cookie", Value: "a"},
						{Name: "Set-Cookie", Value: "b"}},
				}}, nil
			}
			req, err := http.NewRequest(http.MethodPost, "https://no.such.example/order", strings.NewReader("an order"))
			must(t, err)
			resp, body := r.do(r.client(http2), req)
			if resp.StatusCode != 500 || body != `{"error":"sold out"}` || len(resp.Header["Set-Cookie"]) != 2 || resp.ContentLength != 20 {
				t.Errorf("%+v %q", resp, body)
			}
			f := r.done()
			if f.Rule != "mock_1" || f.Response.Status != 500 || string(f.Response.Body.Content) != body ||
				string(f.Request.Body.Content) != "an order" ||
				f.Request.URL != "https://no.such.example/order" || len(r.flows) != 1 {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestMockFaultsBreakConnection: each breaks the connection as its name says.
func TestMockFaultsBreakConnection(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, nil)
			r.request = func(_ context.Context, f *flow.Flow) (flow.Verdict, error) {
				fault := flow.Fault(path.Base(f.Request.URL))
				return flow.Verdict{Answer: &flow.Answer{Rule: "mock_1", Status: 200, Body: []byte(strings.Repeat("x", 1000)), Fault: fault}}, nil
			}
			ask := func(ctx context.Context, fault flow.Fault) (int, error) {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://no.such.example/"+string(fault), nil)
				must(t, err)
				resp, err := r.client(http2).Do(req)
				if err != nil {
					return 0, err
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				return len(body), err
			}
			_, err := ask(context.Background(), flow.Reset)
			if err == nil || !http2 && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("reset: %v", err)
			}
			n, err := ask(context.Background(), flow.Truncated)
			if n != 500 || err == nil {
				t.Errorf("truncated: %d %v", n, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				r.wait("open", func(f flow.Flow) bool { return f.State == flow.Open })
				cancel() // the app gives up
			}()
			if _, err := ask(ctx, flow.Timeout); !errors.Is(err, context.Canceled) {
				t.Errorf("timeout: %v", err)
			}
			r.wait("all three", func(flow.Flow) bool {
				failed := 0
				for _, f := range r.flows {
					if f.State == flow.Failed && f.Kind == flow.MockedFault && strings.Contains(f.Error, "mock_1") {
						failed++
					}
				}
				return failed == 3
			})
		})
	}
}

// TestHoldEndsWhenAppDisconnects: the hold ends when the app disconnects.
func TestHoldEndsWhenAppDisconnects(t *testing.T) {
	r := open(t, nil)
	held := make(chan struct{})
	r.request = func(ctx context.Context, _ *flow.Flow) (flow.Verdict, error) {
		close(held)
		<-ctx.Done()
		return flow.Verdict{}, ctx.Err()
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-held; cancel() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://no.such.example/", nil)
	must(t, err)
	if _, err := r.client(true).Do(req); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if f := r.failed(); f.Kind != flow.AppGone {
		t.Errorf("%+v", f)
	}
}

// TestCloseEndsHeldRequests: the held flow is recorded, and no goroutine is left (open checks that).
func TestCloseEndsHeldRequests(t *testing.T) {
	r := open(t, nil)
	held := make(chan struct{})
	r.request = func(ctx context.Context, _ *flow.Flow) (flow.Verdict, error) {
		close(held)
		<-ctx.Done()
		return flow.Verdict{}, ctx.Err()
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		if resp, err := r.client(false).Get("https://no.such.example/"); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-held
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	must(t, r.proxy.Close(ctx))
	<-asked
	if f := r.failed(); f.Kind != flow.ProxyEnded {
		t.Errorf("%+v", f)
	}
	if _, err := r.proxy.Do(ctx, flow.Request{Method: "GET", URL: "http://x"}, "f_1", "s"); err == nil {
		t.Error("a closed proxy sends")
	}
}
