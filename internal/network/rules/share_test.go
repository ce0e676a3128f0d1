package rules_test

import (
	"errors"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/rules"
)

// from is a request of a client.
func from(c flow.Client, url string) *flow.Flow {
	f := request("GET", url)
	f.Client = c
	return f
}

func on(udid string) flow.Client { return flow.Client{Simulator: udid} }

// driven: ann drives one device, both another one, nobody a third.
var driven = rules.Drivers{"anns": {"ann"}, "shared": {"ann", "bob"}}

func TestMayTouchFollowsDeviceDrivers(t *testing.T) {
	for _, c := range []struct {
		session string
		client  flow.Client
		want    bool
	}{
		{"ann", on("anns"), true},
		{"bob", on("anns"), false},
		{"", on("anns"), false},
		{"ann", on("shared"), true},
		{"bob", on("shared"), true},
		{"eve", on("shared"), false},
		{"bob", on("nobodys"), true},
		{"bob", flow.Client{}, true},
		{"bob", flow.Client{Session: "ann"}, false},
		{"ann", flow.Client{Session: "ann"}, true},
	} {
		if got := driven.MayTouch(c.session, c.client); got != c.want {
			t.Errorf("MayTouch(%q, %+v): got %v, want %v", c.session, c.client, got, c.want)
		}
	}
}

func TestMockAnswersOnlyRequestsItsOwnerMayTouch(t *testing.T) {
	r := rules.New(rules.Options{})
	set(t, r, rules.Config{Drivers: driven, Mocks: []mock.Rule{
		{ID: "mock_00000001", Pattern: "~u orders & ~bq x", Owner: "bob", Response: mock.Response{Status: 501}},
		{ID: "mock_00000002", Pattern: "~u orders", Owner: "bob", Response: mock.Response{Status: 502}},
		{ID: "mock_00000003", Pattern: "~u orders", Owner: "ann", Response: mock.Response{Status: 503}},
	}})
	for udid, want := range map[string]int{"anns": 503, "shared": 502, "nobodys": 502} {
		f := from(on(udid), "https://a/orders")
		if got := r.Look(f).RequestBody; got != (udid != "anns") {
			t.Errorf("%s: the body is wanted: got %v", udid, got)
		}
		v, err := r.Request(t.Context(), f)
		if err != nil || v.Answer == nil || v.Answer.Status != want {
			t.Errorf("%s: got %+v, %v; want %d", udid, v.Answer, err, want)
		}
	}
	if got := r.Hits(); got["mock_00000002"] != 2 || got["mock_00000003"] != 1 {
		t.Errorf("hits: got %v, want 2 and 1", got)
	}
}

// TestOnlyHostFilterAppliesToItsOwner: two sessions that share a device each see their host.
func TestOnlyHostFilterAppliesToItsOwner(t *testing.T) {
	r := rules.New(rules.Options{})
	set(t, r, rules.Config{Drivers: driven, Shares: []rules.Share{
		{Owner: "ann"}, {Owner: "bob", Only: "b.example", Bypass: []string{"*.pinned.example"}}, {Owner: "eve", Only: "e.example"},
	}})
	for _, c := range []struct {
		udid, host string
		hidden     bool
	}{
		{"anns", "c.example", false},
		{"shared", "b.example", false},
		{"shared", "c.example", true},
		{"nobodys", "b.example", false},
		{"nobodys", "e.example", false},
		{"nobodys", "c.example", true},
	} {
		if got := r.Look(from(on(c.udid), "https://"+c.host+"/")).Hidden; got != c.hidden {
			t.Errorf("%s to %s is hidden: got %v, want %v", c.udid, c.host, got, c.hidden)
		}
	}
	for udid, want := range map[string]bool{"anns": false, "shared": true, "nobodys": true} {
		if got := r.Bypasses(on(udid), "*.pinned.example"); got != want {
			t.Errorf("%s is passed on unseen: got %v, want %v", udid, got, want)
		}
	}
	if r.Bypasses(on("shared"), "other.example") {
		t.Error("other.example is bypassed, want it opened: no share names it")
	}
}

func TestOwnedErrorNamesOwnerAndHint(t *testing.T) {
	err := rules.Owned("the mock mock_00000001", "ann", "bob")
	var owned *rules.OwnedError
	if !errors.As(err, &owned) || owned.Owner != "ann" || !fault.Is(err, fault.Forbidden) {
		t.Errorf("got %v, want an OwnedError of ann", err)
	}
	for _, owner := range []string{"ann.b-2", "ann b"} {
		want := hint.Do("proxy_take_over", "owner", owner, "reason", "WHY")
		if got := (&rules.OwnedError{Owner: owner}).Fault().Hint; !strings.Contains(got, want) {
			t.Errorf("owner %s: hint = %q, want %q in it", owner, got, want)
		}
	}
	for _, owner := range []string{"", "bob"} {
		if err := rules.Owned("it", owner, "bob"); err != nil {
			t.Errorf("what %q owns: got %v, want no error for bob", owner, err)
		}
	}
}
