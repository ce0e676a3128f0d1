package pool_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops/access"
	poolops "ios-agent/internal/ops/pool"
	"ios-agent/test/fakedevice"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// room is the operations on the pool, with a clock that stands.
type room struct {
	*fakedevice.Room
	reach access.Access
	later *atomic.Int64 // how long after noon it is
}

func with(t *testing.T, devices ...device.Device) room {
	t.Helper()
	r := room{later: &atomic.Int64{}}
	now := func() time.Time { return noon.Add(time.Duration(r.later.Load())) }
	table := lease.NewTable(lease.Options{Now: now})
	r.reach = fakedevice.Over(t, pool.Options{
		Drivers: []device.Driver{&fakedevice.Driver{Named: fakedevice.Usual, Devices: devices}}, Leases: table, Now: now,
	})
	t.Cleanup(func() { _ = table.Close() })
	r.Room = fakedevice.Open(t, poolops.New(r.reach, poolops.Leases{}).Ops())
	return r
}

func phone(udid, name, state string) *fakedevice.Phone {
	return fakedevice.New(fakedevice.Simulator(udid, name, state))
}

func three(t *testing.T) room {
	t.Helper()
	return with(t, phone("A", "Ann", device.Booted), phone("B", "Bea", "shutdown"), phone("C", "Cleo", "shutdown"))
}

func (r room) entry(udid string) pool.Entry {
	r.T.Helper()
	e, err := r.reach.Pool.Entry(r.T.Context(), udid)
	if err != nil {
		r.T.Fatal(err)
	}
	return e
}

func (r room) chosen(name string) session.Choice { return r.reach.Sessions.Get(name).Choice() }

func TestListNamesTheHolderOfEachDevice(t *testing.T) {
	gone := fakedevice.Simulator("D", "Dee", "shutdown")
	gone.Available = false
	r := with(t, phone("A", "Ann", device.Booted), phone("B", "Bea", "shutdown"), fakedevice.New(gone))
	r.Result("claim_device", `{"udid":"A"}`)
	const ann = "A  booted  iOS 18.2  Ann  claimed by a until 2026-01-02T12:30:00Z"
	const bea, dee = "B  shutdown  iOS 18.2  Bea  available", "D  shutdown  iOS 18.2  Dee  unavailable"
	r.Says("list_device_pool", `{}`, "3 devices\n"+ann+"\n"+bea+"\n"+dee)
	r.Says("list_device_pool", `{"state":"booted"}`, "1 devices\n"+ann)
	r.Says("list_device_pool", `{"claimed":"available"}`, "1 devices\n"+bea)
	r.Says("list_device_pool", `{"claimed":"claimed"}`, "1 devices\n"+ann)
	r.Says("list_device_pool", `{"claimed":"claimed","state":"shutdown"}`, "0 devices")
	if out := r.Result("list_device_pool", `{"state":"shutdown"}`); out["total"] != 2.0 {
		t.Errorf("got the total %v, want 2", out["total"])
	}
	r.Says("refresh_devices", `{}`, "3 devices")
}

func TestPoolListShowsLeaseNotice(t *testing.T) {
	r := three(t)
	for notice, want := range map[string]int{"": 0, "the state was damaged": 1} {
		r.Room = fakedevice.Open(t, poolops.New(r.reach, poolops.Leases{Notice: func() string { return notice }}).Ops())
		e := r.Run("list_device_pool", `{}`)
		if e.Error != nil || len(e.Meta.Notices) != want || want == 1 && e.Meta.Notices[0].Text != notice {
			t.Errorf("%q: got %v and the notices %v, want %d", notice, e.Error, e.Meta.Notices, want)
		}
	}
	broken := fakedevice.Over(t, pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Err: fault.New(fault.ToolFailed, "no simctl")}}})
	none := fakedevice.Open(t, poolops.New(broken, poolops.Leases{}).Ops())
	none.Refused("list_device_pool", `{}`, fault.ToolFailed, "no simctl")
	none.Refused("refresh_devices", `{}`, fault.ToolFailed, "no simctl")
}

func TestResolveClaimsOnlyForANamedSession(t *testing.T) {
	r := three(t)
	r.Says("resolve_device", `{}`, "A  booted  iOS 18.2  Ann  not claimed")
	if e := r.entry("A"); e.ClaimedBy != "" || r.chosen("a") != (session.Choice{UDID: "A", Name: "Ann"}) {
		t.Errorf("got the holder %q and the choice %+v, want none and Ann", e.ClaimedBy, r.chosen("a"))
	}
	r.Says("resolve_device", `{"session_id":"tests"}`, "A  booted  iOS 18.2  Ann  claimed by tests")
	if e := r.entry("A"); e.ClaimedBy != "tests" || !slices.Equal(e.CoDrivers, []string{"a"}) || e.LeaseKind != "claim" {
		t.Errorf("got %q, the co-drivers %v and the kind %q, want a claim of tests with a", e.ClaimedBy, e.CoDrivers, e.LeaseKind)
	}
	if got := r.chosen("tests"); got.UDID != "A" {
		t.Errorf("got the choice %+v of tests, want A", got)
	}
	out := r.Result("resolve_device", `{"session_id":"tests"}`)
	for key, want := range map[string]any{"udid": "A", "name": "Ann", "state": "booted", "os_version": "iOS 18.2", "claimed_by": "tests",
		"was_booted": true, "active": true, "waited_seconds": 0.0, "expires_at": "2026-01-02T12:30:00Z"} {
		if out[key] != want {
			t.Errorf("%s: got %v, want %v", key, out[key], want)
		}
	}
	f := r.Refused("resolve_device", `{"reset":"erase"}`, fault.InvalidInput, "reset needs a claim", hint.Field("session_id"))
	if f.Details["field"] != "reset" {
		t.Errorf("got the field %v, want reset", f.Details["field"])
	}
	r.Refused("resolve_device", `{"name":"Zoe"}`, fault.DeviceNotFound, "Zoe")
}

func TestResolveBootsOnlyWhenAsked(t *testing.T) {
	for _, holder := range []string{"", `,"session_id":"tests"`} {
		bea := phone("B", "Bea", "shutdown")
		r := with(t, bea)
		if e := r.As("a", "resolve_device", `{"name":"Bea"`+holder+`}`); e.Error == nil || len(bea.Did()) > 0 {
			t.Errorf("%q without auto_boot: got %+v, want a refusal and no boot", holder, e.Error)
		}
		out := r.Result("resolve_device", `{"name":"Bea","auto_boot":true`+holder+`}`)
		if out["udid"] != "B" || out["state"] != "booted" || out["was_booted"] != false || !slices.Contains(bea.Did(), "Boot") {
			t.Errorf("%q: got %v, want Bea booted for it", holder, out)
		}
	}
}

func TestClaimDoesNotBootDevice(t *testing.T) {
	r := three(t)
	r.Says("claim_device", `{"name":"Bea"}`, "claimed B  shutdown  iOS 18.2  Bea  claimed by a until 2026-01-02T12:30:00Z")
	if r.chosen("a") != (session.Choice{UDID: "B", Name: "Bea"}) || !slices.Equal(r.reach.Sessions.Get("a").LastClaims(), []string{"B"}) {
		t.Errorf("got the choice %+v and the claims %v, want B", r.chosen("a"), r.reach.Sessions.Get("a").LastClaims())
	}
	e := r.As("b", "claim_device", `{"udid":"B"}`)
	fakedevice.WantFault(t, "another session", e.Error, fault.DeviceClaimed, "Bea (B) is already claimed by a")
	r.Refused("claim_device", `{"device_type":"device"}`, fault.DeviceNotFound)
	r.Refused("claim_device", `{"device_family":"iPad"}`, fault.DeviceNotFound, "iPad")
	r.Refused("claim_device", `{"reset":"burn"}`, fault.InvalidInput, "reset")
	r.Refused("claim_device", `{"session_id":"a\nb"}`, fault.InvalidInput, "session_id")
	by := r.By(op.Call{Session: "c", Client: "tester"}, "claim_device", `{"udid":"C","session_id":"d"}`)
	if by.Error != nil || r.reach.Sessions.Client("d") != "tester" || by.Meta.Device.UDID != "C" {
		t.Errorf("got %v and the client %q, want tester for d", by.Error, r.reach.Sessions.Client("d"))
	}
	if got := r.chosen("c"); got != (session.Choice{}) {
		t.Errorf("got the choice %+v of c, want none: d has it", got)
	}
}

func TestRepeatedClaimReturnsSameDevice(t *testing.T) {
	r := three(t)
	for range 2 {
		e := r.By(op.Call{Session: "a", Request: "r1"}, "claim_device", `{}`)
		if e.Error != nil || !strings.Contains(string(e.Result), `"udid":"A"`) {
			t.Errorf("got %v and %s, want A both times", e.Error, e.Result)
		}
	}
	e := r.By(op.Call{Session: "a", Request: "r1"}, "claim_device", `{"name":"Bea"}`)
	fakedevice.WantFault(t, "another wish", e.Error, fault.InvalidInput, "new id")
}

func TestReleaseDefaultsToLastClaim(t *testing.T) {
	r := three(t)
	r.Result("claim_device", `{"udid":"B"}`)
	e := r.As("b", "release_device", `{"udid":"B"}`)
	fakedevice.WantFault(t, "another's", e.Error, fault.NotHolder, "a")
	r.Says("release_device", `{}`, "released Bea (B)")
	if r.entry("B").ClaimedBy != "" || r.chosen("a") != (session.Choice{}) {
		t.Errorf("got the holder %q and the choice %+v, want none", r.entry("B").ClaimedBy, r.chosen("a"))
	}
	r.Result("claim_device", `{"udid":"B"}`)
	r.reach.Sessions.Get("a").Use(session.Choice{UDID: "A", Name: "Ann"})
	r.Says("release_device", `{"udid":"b"}`, "released Bea (B)")
	if got := r.chosen("a"); got.UDID != "A" {
		t.Errorf("got the choice %+v, want A: it was not released", got)
	}
	r.Result("claim_device", `{"udid":"C","session_id":"tests"}`)
	r.Says("release_device", `{"session_id":"tests"}`, "released Cleo (C)")
	r.Refused("release_device", `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
	fakedevice.WantFault(t, "nothing claimed", r.As("nobody", "renew_device", `{"udid":"C"}`).Error, fault.NotHolder)
}

func TestReleaseErasesDeviceOnRequest(t *testing.T) {
	bea := phone("B", "Bea", "shutdown")
	r := with(t, bea)
	r.Result("claim_device", `{"udid":"B"}`)
	r.Says("release_device", `{"reset":"erase"}`, "released Bea (B)")
	if got := bea.Did(); !slices.Contains(got, "Erase") || r.entry("B").ClaimedBy != "" {
		t.Errorf("got %v and the holder %q, want it erased and free", got, r.entry("B").ClaimedBy)
	}
}

func TestRenewExtendsLease(t *testing.T) {
	r := three(t)
	r.Result("claim_device", `{"udid":"B"}`)
	r.later.Store(int64(10 * time.Minute))
	r.Says("renew_device", `{}`, "renewed B  shutdown  iOS 18.2  Bea  claimed by a until 2026-01-02T12:40:00Z")
	r.Says("renew_device", `{"udid":"B"}`, "renewed B  shutdown  iOS 18.2  Bea  claimed by a until 2026-01-02T12:40:00Z")
	fakedevice.WantFault(t, "another's", r.As("b", "renew_device", `{"udid":"B"}`).Error, fault.NotHolder, "a")
	r.Refused("renew_device", `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
}

func TestEnsureClaimsAllDevicesOrNothing(t *testing.T) {
	r := three(t)
	r.Refused("ensure_devices", `{"count":4}`, fault.DeviceNotFound)
	r.Refused("ensure_devices", `{"count":0}`, fault.InvalidInput, "count")
	for _, udid := range []string{"A", "B", "C"} {
		if got := r.entry(udid).ClaimedBy; got != "" {
			t.Errorf("%s: got the holder %q, want none", udid, got)
		}
	}
	out := r.Result("ensure_devices", `{"count":2}`)
	if out["total_available"] != 2.0 || out["total_newly_booted"] != 1.0 || out["session_id"] != "a" || len(out["devices"].([]any)) != 2 {
		t.Errorf("got %v, want two, one of them booted for it", out)
	}
	if got := r.reach.Sessions.Get("a").LastClaims(); !slices.Equal(got, []string{"A", "B"}) || r.chosen("a").UDID != "A" {
		t.Errorf("got the claims %v and the choice %+v, want A and B, and A", got, r.chosen("a"))
	}
	r.Refused("release_device", `{}`, fault.DeviceAmbiguous, "a claimed 2 devices at once, and none was named")
	r.Says("ensure_devices", `{"count":2}`, "2 devices claimed by a, 0 of them newly booted\nA  booted  Ann\nB  booted  Bea")
	if e := three(t).As("a", "ensure_devices", `{"count":2,"auto_boot":false}`); e.Error == nil {
		t.Error("without booting: got success, want a refusal: one is booted")
	}
}

func TestTakeOverNamesPreviousHolder(t *testing.T) {
	r := three(t)
	if e := r.As("b", "claim_device", `{"udid":"B"}`); e.Error != nil {
		t.Fatal(e.Error)
	}
	r.Refused("take_over_device", `{"udid":"B"}`, fault.InvalidInput, "reason")
	r.Refused("take_over_device", `{"udid":"X","reason":"r"}`, fault.DeviceNotFound, `"X"`)
	r.Says("take_over_device", `{"udid":"B","reason":"gone"}`,
		"taken over B  shutdown  iOS 18.2  Bea  claimed by a until 2026-01-02T12:30:00Z, from b")
	if r.chosen("a").UDID != "B" || !slices.Equal(r.reach.Sessions.Get("a").LastClaims(), []string{"B"}) {
		t.Errorf("got the choice %+v and the claims %v, want B", r.chosen("a"), r.reach.Sessions.Get("a").LastClaims())
	}
	fakedevice.WantFault(t, "before", r.As("b", "renew_device", `{"udid":"B"}`).Error, fault.NotHolder, "a")
}

func TestCleanupReleasesExpiredClaims(t *testing.T) {
	r := three(t)
	r.Says("cleanup_devices", `{}`, "0 claims had expired")
	r.Result("claim_device", `{"udid":"B"}`)
	r.later.Store(int64(time.Hour))
	out := r.Result("cleanup_devices", `{}`)
	if got, _ := out["devices_released"].([]any); out["status"] != "cleaned" || out["count"] != 1.0 || len(got) != 1 || got[0] != "B" {
		t.Errorf("got %v, want B released", out)
	}
}

func TestClaimLogListsEachEvent(t *testing.T) {
	r := three(t)
	asked := ""
	events := []lease.Event{
		{At: noon, What: lease.TakenOver, Lease: lease.Lease{Resource: "B", Holder: "a", Epoch: 7}, From: "b", Reason: "gone"},
		{At: noon.In(time.FixedZone("x", 3600)), What: lease.Released, Lease: lease.Lease{Resource: "B"}},
	}
	var fails error
	log := func(udid string, most int) ([]lease.Event, error) {
		asked = udid
		return events[:min(most, len(events))], fails
	}
	r.Room = fakedevice.Open(t, poolops.New(r.reach, poolops.Leases{Log: log}).Ops())
	const first, second = "2026-01-02T12:00:00Z  B  taken over by a from b: gone", "2026-01-02T12:00:00Z  B  released"
	r.Says("device_claim_log", `{"udid":"B"}`, "2 events\n"+first+"\n"+second)
	if asked != "B" {
		t.Errorf("got asked for %q, want B", asked)
	}
	r.Says("device_claim_log", `{"limit":1}`, "1 events\n"+first)
	r.Refused("device_claim_log", `{"limit":0}`, fault.InvalidInput, "limit")
	fails = fault.New(fault.StateFailed, "damaged")
	r.Refused("device_claim_log", `{}`, fault.StateFailed, "damaged")
}

func TestWatchShowsOneDeviceOrAll(t *testing.T) {
	r := three(t)
	ring := feed.NewRing[poolops.LeaseEvent](10)
	r.Room = fakedevice.Open(t, poolops.New(r.reach, poolops.Leases{Events: ring}).Ops())
	for _, udid := range []string{"A", "B"} {
		ring.Add(poolops.LeaseEvent{UDID: udid, What: lease.Claimed})
	}
	for input, want := range map[string][]string{`{}`: {"A", "B"}, `{"udid":"b"}`: {"B"}, `{"udid":"X"}`: nil} {
		var got []string
		for _, item := range r.Result("read_device_claims", input)["items"].([]any) {
			got = append(got, item.(map[string]any)["udid"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the events of %v, want %v", input, got, want)
		}
	}
}

func TestLeaseFeedReceivesClaim(t *testing.T) {
	table, ring := lease.NewTable(lease.Options{}), feed.NewRing[poolops.LeaseEvent](10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		poolops.FeedLeases(ctx, table, ring)
	}()
	page := op.Page[poolops.LeaseEvent]{}
	for len(page.Items) == 0 { // what happens before the feed watches is not heard
		use, err := table.Use(t.Context(), "A", "a", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		use.Done()
		if _, err := table.Release(t.Context(), lease.Who{Holder: "a"}, "A"); err != nil {
			t.Fatal(err)
		}
		at := op.Cursor{After: op.Beginning, Most: 1}
		if page, err = ring.Read(t.Context(), at, func(poolops.LeaseEvent) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	if got := page.Items[0]; got.UDID != "A" || got.Epoch == 0 || got.Time.IsZero() || got.Time.Location() != time.UTC {
		t.Errorf("got %+v, want an event of A with its epoch and time", got)
	}
	cancel()
	<-done
	if err := table.Close(); err != nil {
		t.Error(err)
	}
}
