package house_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
	"ios-agent/test/house"
)

// mocksOf are the ids of the mocks that a session is shown, with the owners it is told.
func (w *wire) mocksOf(session string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, m := range house.Result[struct {
		Mocks []struct{ Mock, Owner string }
	}](w.House, w.Must(session, "proxy_mocks", nil)).Mocks {
		all[m.Mock] = m.Owner
	}
	return all
}

// mock makes one for a session and gives its id.
func (w *wire) mock(session, pattern string, status int) string {
	w.t.Helper()
	e := w.Must(session, "proxy_mock", in{"pattern": pattern, "status": status})
	return house.Result[struct{ Mock string }](w.House, e).Mock
}

// owned wants a call of a session refused because a thing is another's, with the other's name and what can be done.
func (w *wire) owned(session, owner, name string, input any) {
	w.t.Helper()
	e := w.Call(session, name, input)
	if e.Error == nil || e.Error.Code != fault.Forbidden || !strings.Contains(e.Error.Message, owner) ||
		!strings.Contains(e.Error.Hint, "proxy take-over --owner "+owner) {
		w.t.Errorf("%s by %s: got %s, want %s that names %s", name, session, e.Text(), fault.Forbidden, owner)
	}
}

func TestMocksAreChangedAndRemovedByTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	mine, other := w.mock("a", "~u /order", 503), w.mock("b", "~u /cart", 404)
	w.owned("b", "a", "proxy_unmock", in{"id": mine})
	w.owned("b", "a", "proxy_mock", in{"id": mine, "status": 200})
	w.owned("b", "a", "update_mock", in{"rule_id": mine, "status_code": 200})
	w.owned("b", "a", "clear_mocks", in{"rule_id": mine})
	if got := w.mocksOf("b"); len(got) != 2 || got[mine] != "a" || got[other] != "" {
		t.Errorf("b is shown %v, want its own mock and the one of a with its owner", got)
	}
	w.says(w.Must("b", "proxy_unmock", in{"all": true}), "removed 1 mock; 1 left")
	w.mock("b", "~u /cart", 404)
	w.Must("b", "clear_mocks", nil)
	if got := w.mocksOf("a"); len(got) != 1 || got[mine] != "" {
		t.Errorf("after b removed all of its own, a is shown %v, want its own mock", got)
	}
}

func TestAHeldRequestIsReleasedByTheOwnerOfTheHoldOnly(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	w.Must("a", "proxy_hold", in{"pattern": "~u /held"})
	w.Must("b", "proxy_hold", in{"pattern": "~u /else"})
	w.Must("b", "proxy_unhold", nil)
	answered := make(chan string, 1)
	go func() {
		_, text := w.send("POST", "/held", "before")
		answered <- text
	}()
	type heldOut struct {
		Held []struct {
			ID    string `json:"flow_id"`
			Owner string
		}
	}
	held := house.Result[heldOut](w.House, w.Must("a", "proxy_held", in{"wait_ms": 60000})).Held
	if len(held) != 1 || held[0].Owner != "" {
		t.Fatalf("a is shown %+v, want the one request that its pattern holds", held)
	}
	id := held[0].ID
	if seen := house.Result[heldOut](w.House, w.Must("b", "proxy_held", nil)).Held; len(seen) != 1 || seen[0].Owner != "a" {
		t.Errorf("b is shown %+v, want the request with the owner a", seen)
	}
	w.owned("b", "a", "proxy_release", in{"flow_id": id})
	w.owned("b", "a", "release_flow", in{"flow_id": id})
	w.says(w.Must("b", "proxy_release_all", nil), "0 held requests released")
	w.Must("b", "release_all_flows", nil)
	w.Must("b", "clear_intercept", nil)
	w.Must("a", "proxy_release", in{"flow_id": id, "body": "changed"})
	if text := <-answered; !strings.Contains(text, "changed") {
		t.Errorf("the request was answered %q, want what a released", text)
	}
}

func TestTheProxyIsStoppedAndSetByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", in{"bypass": []string{"pinned.example.com"}})
	w.mock("a", "~u /order", 503)
	w.says(w.Must("b", "proxy_start", nil), "the proxy runs on", "owned by the session a",
		"session a: bypasses pinned.example.com, 1 mock")
	if e := w.Call("b", "proxy_start", in{"bypass": []string{"x.example.com"}}); e.Error == nil || e.Error.Code != fault.ProxyRunning ||
		!strings.Contains(e.Error.Message, "session a") {
		t.Errorf("b starts it with other settings: got %s, want %s that names a", e.Text(), fault.ProxyRunning)
	}
	for name, input := range map[string]in{
		"proxy_stop": nil, "stop_proxy": nil, "proxy_set": {"upstream": "http://127.0.0.1:1"}, "configure_system_proxy": {},
	} {
		w.owned("b", "a", name, input)
	}
	w.Must("b", "proxy_set", in{"only": "b.example.com", "bypass": []string{"c.example.com"}})
	w.says(w.Must("a", "proxy_status", nil), "bypasses: pinned.example.com",
		"session b: sees only b.example.com, bypasses c.example.com")
	w.owned("a", "b", "proxy_stop", nil)
	w.Must("b", "proxy_take_over", in{"owner": "a", "reason": "its agent is gone"})
	w.Must("b", "proxy_stop", nil)
}

// TestProxyRulesSkipDevicesOfOtherSessions: a device that nobody drives is everybody's, and so is a request of no device.
func TestProxyRulesSkipDevicesOfOtherSessions(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Must("a", "proxy_start", nil)
	w.mock("a", "~u /order", 503)
	answer := func(when string, want int) {
		t.Helper()
		if got, _ := w.send("GET", "/order", ""); got != want {
			t.Errorf("%s: the request is answered %d, want %d", when, got, want)
		}
	}
	answer("of no device", 503)
	udid := w.Boot("b", "")
	answer("of no device, while b drives one", 503)
	w.owner.Store(&udid)
	answer("of the device of b", 200)
	w.mock("b", "~u /order", 404)
	answer("of the device of b, which has a mock too", 404)
	w.Must("b", "proxy_unmock", in{"all": true})
	w.Must("b", "release_device", in{"udid": udid})
	answer("of a device of nobody", 503)
	w.Must("a", "claim_device", in{"udid": udid})
	answer("of the device of a", 503)
	w.Must("b", "take_over_device", in{"udid": udid, "reason": "test"})
	w.Must("b", "set_appearance", in{"udid": udid, "mode": "dark"})
	answer("of a device that b took over", 200)
}

// TestLogFilterAppliesToItsSession: another session reads what it read before, and sees whose filter there is.
func TestLogFilterAppliesToItsSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	log := h.Product.Telemetry.Open(telemetry.State{ID: "shop", Source: telemetry.Simulator, Device: "PHONE"})
	say := func(message string) {
		log.Add(telemetry.Entry{Time: time.Now(), Process: "Shop", Level: telemetry.Error, Message: message})
	}
	reads := func(session string, want int) {
		t.Helper()
		for _, name := range []string{"tail_logs", "query_logs", "get_errors"} {
			out := house.Result[struct{ Total int }](h, h.Must(session, name, nil))
			if out.Total != want {
				t.Errorf("%s reads %d lines with %s, want %d", session, out.Total, name, want)
			}
		}
		sum := house.Result[struct {
			Total int `json:"total_count"`
		}](h, h.Must(session, "get_log_summary", nil))
		if sum.Total != want {
			t.Errorf("%s is told of %d lines in short, want %d", session, sum.Total, want)
		}
	}
	say("one")
	h.Must("b", "set_log_filter", in{"source": "all", "process": "Nobody"})
	say("two")
	reads("a", 2)
	reads("b", 0)
	if e := h.Must("b", "tail_logs", nil); !strings.Contains(string(e.Result), "`ios-agent quern list-log-sources` shows the filter") {
		t.Errorf("got %s, want why b reads nothing, and what shows the filter", e.Result)
	}
	for session, owner := range map[string]string{"a": "b", "b": ""} {
		got := house.Result[struct {
			Filters []struct{ Source, Process, Owner string }
		}](h, h.Must(session, "list_log_sources", nil)).Filters
		if len(got) != 1 || got[0].Source != "all" || got[0].Process != "Nobody" || got[0].Owner != owner {
			t.Errorf("%s is shown the filters %+v, want the one of b with the owner %q", session, got, owner)
		}
	}
	h.Must("a", "set_log_filter", in{"source": "all"})
	reads("b", 0)
	h.Must("b", "set_log_filter", in{"source": "all"})
	reads("b", 2)
}

// TestProxyRulesOfIdleSessionExpire: 30 minutes after its last call, unless it drives a device. The proxy runs on, and is nobody's.
func TestProxyRulesOfIdleSessionExpire(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	w := newWire(t, func(o *house.Options) {
		began := time.Now()
		o.Now = func() time.Time { return began.Add(time.Duration(passed.Load())) }
	})
	w.Must("a", "proxy_start", nil)
	w.mock("a", "~u /order", 503)
	w.Must("a", "proxy_hold", in{"pattern": "~u /held"})
	w.Must("a", "set_log_filter", in{"source": "all", "process": "Nobody"})
	passed.Store(int64(session.Leaves - time.Minute))
	w.owned("b", "a", "proxy_stop", nil)
	w.Must("a", "list_flows", nil) // any call will do
	passed.Add(int64(session.Leaves - time.Minute))
	if got := w.mocksOf("b"); len(got) != 1 {
		t.Errorf("b is shown the mocks %v, want the one of a, which called a while ago", got)
	}
	passed.Add(int64(2 * time.Minute))
	if got := w.mocksOf("b"); len(got) != 0 {
		t.Errorf("b is shown the mocks %v after a has left, want none", got)
	}
	if got, _ := w.send("GET", "/order", ""); got != 200 {
		t.Errorf("a request is answered %d after a has left, want what the server says", got)
	}
	if e := w.Must("b", "list_log_sources", nil); strings.Contains(string(e.Result), "Nobody") {
		t.Errorf("the log filter of a is there after it has left: %s", e.Result)
	}
	if text := w.Must("b", "proxy_status", nil).Text(); !strings.Contains(text, "the proxy runs on") || strings.Contains(text, "session a") {
		t.Errorf("got %q, want a proxy that runs and is nobody's", text)
	}
	w.Must("b", "proxy_stop", nil)
}
