package house_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
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

// TestRepeatedClaimGetsSameDevices: whoever repeats a claim with its id gets the same devices under the same lease, although others would
// be chosen by now, and after a restart too. Another session or another wish is refused by the id, and so is a claim that has ended.
func TestRepeatedClaimGetsSameDevices(t *testing.T) {
	t.Parallel()
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

// TestInvalidRequestIDsAreRefused: an id that is too long or not printable is refused before anything is claimed, on every operation, and
// stands in no answer.
func TestInvalidRequestIDsAreRefused(t *testing.T) {
	t.Parallel()
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

// TestConcurrentCallsWithSameIDGetSameAnswer: a client that repeats a call before the first is answered gets what that gets, however often.
func TestConcurrentCallsWithSameIDGetSameAnswer(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.HTTP() // before there are several
	for path, wish := range map[string]string{
		"claim": `{"name":"iPhone 16 Pro Max"}`, "ensure": `{"count":2,"device_family":"iPad"}`,
		"resolve": `{"name":"iPhone 14","auto_boot":true,"session_id":"ada"}`,
	} {
		all := make([]claimed, 12)
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() { all[i] = claim(t, h, "ada", "id of "+path, path, wish) })
		}
		wg.Wait()
		for i, got := range all {
			if got.Error.Code != "" || !reflect.DeepEqual(got, all[0]) {
				t.Errorf("%s, call %d: got %+v, want %+v as the first", path, i, got, all[0])
			}
		}
	}
	held := house.Result[struct{ Devices []struct{ UDID string } }](h,
		h.Must("ada", "list_device_pool", map[string]string{"claimed": "claimed"}))
	if got := len(held.Devices); got != 4 {
		t.Errorf("got %d devices that are claimed, want 4: one, two and one", got)
	}
}

// TestRequestIDIsRefusedForOtherInput: with an operation that wants something else an id is refused, and gives nothing away. One that wants
// the same device in the same way gets it, and no other.
func TestRequestIDIsRefusedForOtherInput(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	first := claim(t, h, "ada", "one", "claim", `{"name":"iPhone 16 Pro Max"}`)
	for path, wish := range map[string]string{
		"resolve": `{"name":"iPhone 16 Pro Max","auto_boot":true,"session_id":"ada"}`, "ensure": `{"count":1,"name":"iPhone 16 Pro Max"}`,
		"claim": `{"name":"iPhone 16 Pro Max","reset":"erase"}`,
	} {
		got := claim(t, h, "ada", "one", path, wish)
		if got.Error.Code != fault.InvalidInput || strings.Contains(got.Error.Message+got.Error.Hint, first.Device.UDID) {
			t.Errorf("%s by the id of a claim: got %+v, want %s", path, got, fault.InvalidInput)
		}
	}
	resolved := claim(t, h, "ada", "two", "resolve", `{"name":"iPhone 14","auto_boot":true,"session_id":"ada"}`)
	ensured := claim(t, h, "ada", "two", "ensure", `{"count":1,"name":"iPhone 14"}`)
	if resolved.UDID == "" || len(ensured.Devices) != 1 || ensured.Devices[0].UDID != resolved.UDID {
		t.Errorf("got %+v, want the device of %+v", ensured, resolved)
	}
	none := claim(t, h, "ada", "", "claim", `{"name":"iPhone 16 Pro"}`)
	again := claim(t, h, "bob", "", "claim", `{"name":"iPhone 16 Pro"}`)
	if none.Device.UDID == "" || again.Device.UDID == "" || none.Device.UDID == again.Device.UDID {
		t.Errorf("an empty id: got %+v and %+v, want two devices, as without one", none, again)
	}
}
