package ui

import (
	"testing"

	"ios-agent/internal/fault"
)

// named is a screen whose elements have names that their device gives.
func named(app string, names map[string]string) *Screen {
	root := &Node{Type: "Application", Key: app, Frame: Rect{W: 300, H: 300}}
	for name, label := range names {
		root.Children = append(root.Children, &Node{Type: "Button", Label: label, Key: "key of " + name, Given: name, Frame: Rect{W: 50, H: 20}})
	}
	return NewScreen(app, "running_foreground", root)
}

func TestSourceIDIsUsedAsRef(t *testing.T) {
	var r Refs
	s := named("pad", map[string]string{"btn_a1b2": "Save"})
	n := s.Called("btn_a1b2")
	if got := r.Name("pid:1", s, n); got != "btn_a1b2" {
		t.Fatalf("got the ref %s, want btn_a1b2", got)
	}
	for _, ref := range []string{"btn_a1b2", "@btn_a1b2"} {
		if found, err := r.Resolve(ref, "pid:1", s); found != n || err != nil {
			t.Errorf("%s: got %v, %v, want the button", ref, found, err)
		}
	}
	for _, q := range []Query{{Name: "btn_a1b2"}, Naming("@btn_a1b2")} {
		if found, err := r.Find(q, "pid:1", s); found != n || err != nil {
			t.Errorf("%v: got %v, %v, want the button", q, found, err)
		}
	}
	if given := r.Given("pid:1"); len(given) != 0 {
		t.Errorf("got %v before the screen is remembered, want nothing", given)
	}
	r.Remember("pid:1", s)
	if given := r.Given("pid:1"); len(given) != 1 || given[0].Ref != "@btn_a1b2" {
		t.Errorf("got %v, want @btn_a1b2", given)
	}
	if _, err := r.Resolve("e1", "pid:1", s); !fault.Is(err, fault.RefExpired) {
		t.Errorf("its number: got %v, want %s", err, fault.RefExpired)
	}
}

func TestSourceIDIsRefusedWhenNotShown(t *testing.T) {
	s := named("pad", map[string]string{"itm_0001": "Alpha", "itm_0002": "Beta"})
	for name, c := range map[string]struct {
		ref, device string
		on          *Screen
		code        fault.Code
	}{
		"never shown":          {"itm_0002", "pid:1", s, fault.RefExpired},
		"on another device":    {"itm_0001", "pid:2", s, fault.RefExpired},
		"gone":                 {"itm_0001", "pid:1", named("pad", map[string]string{"itm_0002": "Beta"}), fault.RefExpired},
		"another row by now":   {"itm_0001", "pid:1", named("pad", map[string]string{"itm_0001": "Zeta"}), fault.RefExpired},
		"another app in front": {"itm_0001", "pid:1", named("other", map[string]string{"itm_0001": "Alpha"}), fault.AppNotInFront},
	} {
		var r Refs // a refusal names others, which are shown by that
		r.NameGiven("pid:1", s, []string{"itm_0001"})
		if n, err := r.Resolve(c.ref, c.device, c.on); n != nil || !fault.Is(err, c.code) {
			t.Errorf("%s: got %v, %v, want %s", name, n, err, c.code)
		}
	}
	var r Refs
	r.NameGiven("pid:1", s, []string{"itm_0001"})
	again := named("pad", map[string]string{"itm_0001": "Zeta"})
	r.NameGiven("pid:1", again, []string{"itm_0001"})
	if n, err := r.Resolve("itm_0001", "pid:1", again); n == nil || err != nil {
		t.Errorf("another row that was shown: got %v, %v, want the row", n, err)
	}
}
