package house_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/house"
)

// claimed is the part of a claim's answer that a repeat must have too.
type claimed struct {
	UDID   string
	Epoch  uint64
	Device struct {
		UDID  string
		Epoch uint64
	}
	Devices []struct{ UDID string }
	Error   fault.Fault
}

// claim sends a claim over REST, with an id.
func claim(t *testing.T, h *house.House, session, id, path, body string) (got claimed) {
	t.Helper()
	handler, key := h.HTTP()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1/api/v1/devices/"+path, strings.NewReader(body))
	for name, value := range map[string]string{"X-API-Key": key, rest.SessionHeader: session, rest.RequestHeader: id} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return got
}

// TestALostAnswer: whoever repeats a claim with its id gets the same devices under the same lease, although others would be chosen
// by now, and after a restart too. Another session or another wish is refused by the id, and so is a claim that has ended.
func TestALostAnswer(t *testing.T) {
	h := house.New(t)
	for path, c := range map[string]struct{ wish, other string }{
		"claim":   {`{"name":"iPhone 16 Pro"}`, `{"name":"iPhone 15"}`},
		"resolve": {`{"name":"iPhone 15","auto_boot":true,"session_id":"ada"}`, `{"name":"iPhone 15","session_id":"ada"}`},
		"ensure":  {`{"count":2}`, `{"count":3}`},
	} {
		first := claim(t, h, "ada", "id "+path, path, c.wish)
		var udid string
		for _, d := range append(first.Devices, struct{ UDID string }{first.UDID + first.Device.UDID}) {
			if udid = d.UDID; udid != "" {
				h.Call("ada", "shutdown_device", map[string]string{"udid": udid}) // it is not the first choice any more
			}
		}
		for _, when := range []string{"at once", "after a restart"} {
			if got := claim(t, h, "ada", "id "+path, path, c.wish); !reflect.DeepEqual(got, first) || got.Error.Code != "" {
				t.Errorf("%s, repeated %s: %+v, and first %+v", path, when, got, first)
			}
			h.Restart()
		}
		if got := claim(t, h, "bob", "id "+path, path, c.wish); got.Error.Code != fault.InvalidInput {
			t.Errorf("%s by another session: %+v", path, got)
		}
		if got := claim(t, h, "ada", "id "+path, path, c.other); got.Error.Code != fault.InvalidInput {
			t.Errorf("%s with another wish: %+v", path, got)
		}
		for _, d := range house.Result[struct{ Devices []struct{ UDID string } }](h,
			h.Must("ada", "list_device_pool", map[string]string{"claimed": "claimed"})).Devices {
			h.Must("ada", "release_device", map[string]string{"udid": d.UDID})
		}
		if got := claim(t, h, "ada", "id "+path, path, c.wish); got.Error.Code != fault.LeaseLost {
			t.Errorf("%s after its end: %+v", path, got)
		}
	}
	if got := claim(t, h, "ada", strings.Repeat("x", 1000), "claim", `{}`); got.Error.Code != fault.InvalidInput {
		t.Errorf("an id without bound: %+v", got)
	}
}

// TestHostileRequestIDs: an id that is too long or not printable is refused before anything is claimed, on every operation, and stands in
// no answer.
func TestHostileRequestIDs(t *testing.T) {
	h := house.New(t)
	handler, key := h.HTTP()
	for _, id := range []string{strings.Repeat("x", 201), strings.Repeat("x", 1<<20), "a\tb", "a\x1b[2J", "a\u202eb", "\xff\xfe", "a\u2028b"} {
		if got := claim(t, h, "ada", id, "claim", `{"name":"iPhone 16 Pro"}`); got.Error.Code != fault.InvalidInput || got.Device.UDID != "" ||
			strings.Contains(got.Error.Message+got.Error.Hint, id) {
			t.Errorf("%.20q: got %+v, want %s", id, got, fault.InvalidInput)
		}
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1/api/v1/devices/pool", nil)
		r.Header.Set("X-API-Key", key)
		r.Header.Set(rest.RequestHeader, id)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != 400 {
			t.Errorf("%.20q: a list: got %d, want 400", id, w.Code)
		}
	}
	if pool := string(h.Must("ada", "list_device_pool", nil).Result); strings.Contains(pool, `"claimed"`) {
		t.Errorf("got %s, want nothing claimed", pool)
	}
}
