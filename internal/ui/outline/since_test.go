package outline_test

import (
	"strings"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

func TestSinceReportsChangesAfterKnownScreen(t *testing.T) {
	refs := &ui.Refs{}
	before := screen(login())
	refs.Remember(phone, before)
	if lines, _, known := outline.Since(screen(login()), before.Hash(), phone, refs); !known || len(lines) != 2 ||
		lines[1] != "unchanged since "+before.Hash() {
		t.Errorf("%q", lines)
	}
	root := login()
	find(t, root, "email").Value = "x"
	lines, nodes, known := outline.Since(screen(root), before.Hash(), phone, refs)
	if !known || lines[1] != `~ textbox "Email" [ref=e1] value: "" → "x"` || len(nodes) != 1 || nodes[0].Identifier != "email" {
		t.Errorf("%q %v", lines, nodes)
	}
	if _, _, known := outline.Since(before, "nonsense", phone, refs); known {
		t.Error("a look nobody remembers")
	}
	if refs.Recall("UDID-2", before.Hash()) != nil {
		t.Error("another device's look")
	}
	for i := range 100 {
		refs.Remember(phone, screen(app(button("B", float64(i)))))
	}
	if refs.Recall(phone, before.Hash()) != nil {
		t.Error("looks are kept forever")
	}
}

// TestSinceShownIgnoresSelfMovingElements: what changed since a screen was shown, without what changes by itself, until the session leaves
// the screen.
func TestSinceShownIgnoresSelfMovingElements(t *testing.T) {
	refs := &ui.Refs{}
	spinner := &ui.Node{Type: "ActivityIndicator", Label: "Busy", Frame: ui.Rect{X: 10, Y: 300, W: 20, H: 20}}
	before, busy := screen(app(button("A", 10))), screen(app(button("A", 10), spinner))
	after := screen(app(button("A", 10), button("B", 100), spinner))
	if lines := outline.SinceShown(before, phone, refs); lines != nil {
		t.Errorf("nothing was shown: %q", lines)
	}
	refs.Remember(phone, before)
	if lines := outline.SinceShown(busy, phone, refs); lines != nil {
		t.Errorf("a spinner is news: %q", lines)
	}
	if lines := outline.SinceShown(after, phone, refs); len(lines) != 1 || !strings.HasPrefix(lines[0], `+ button "B"`) {
		t.Errorf("%q", lines)
	}
	if lines := outline.SinceShown(after, "UDID-2", refs); lines != nil {
		t.Errorf("another device was not shown: %q", lines)
	}
	refs.Leave(phone)
	if lines := outline.SinceShown(after, phone, refs); lines != nil || refs.Shown(phone) != nil || refs.Recall(phone, before.Hash()) == nil {
		t.Errorf("the session left the screen: %q", lines)
	}
	refs.Glimpse(phone, after)
	if refs.Shown(phone).Hash() != after.Hash() || refs.Last(phone) != "" {
		t.Error("nobody waited until it was still")
	}
	if refs.Remember(phone, after); refs.Last(phone) != after.Hash() {
		t.Error("it is still")
	}
}

// TestMotionFirstSeenInLookIsReported: an element first seen moving in this look may have changed once, so it is reported; an element that
// moved already when the screen was shown is left out.
func TestMotionFirstSeenInLookIsReported(t *testing.T) {
	at := func(said string, x float64) *ui.Screen {
		text := &ui.Node{Type: "StaticText", Identifier: "said", Label: said, Frame: ui.Rect{X: 10, Y: 200, W: 100, H: 20}}
		star := &ui.Node{Type: "Image", Identifier: "star", Label: "Star", Frame: ui.Rect{X: x, Y: 300, W: 20, H: 20}}
		return screen(app(text, star))
	}
	refs := &ui.Refs{}
	refs.LearnMotion(phone, nil, at("one", 10), at("one", 20))
	refs.Remember(phone, at("one", 20))
	if lines := outline.SinceShown(at("one", 40), phone, refs); lines != nil {
		t.Errorf("got %q, want nothing of what moved when it was shown", lines)
	}
	refs.LearnMotion(phone, nil, at("one", 20), at("two", 40))
	for range 2 {
		if lines := outline.SinceShown(at("two", 60), phone, refs); len(lines) != 1 || !strings.Contains(lines[0], `"one" → "two"`) {
			t.Errorf("got %q, want the text that another program changed during the look", lines)
		}
		refs.Stepped(phone) // by a step that showed nothing
	}
	refs.Glimpse(phone, at("two", 60))
	if lines := outline.SinceShown(at("three", 60), phone, refs); lines != nil {
		t.Errorf("got %q, want nothing of what was told to change by itself", lines)
	}
}

// TestSinceReportsChangesOutOfSight: elements behind a bar or beyond the edge have no line of their own.
func TestSinceReportsChangesOutOfSight(t *testing.T) {
	at := func(said string) *ui.Screen {
		below := ui.Rect{X: 10, Y: 5000, W: 100, H: 20}
		return screen(app(button("A", 10), &ui.Node{Type: "StaticText", Identifier: "said", Label: said, Frame: below}))
	}
	refs := &ui.Refs{}
	refs.Remember(phone, at("one"))
	if lines := outline.SinceShown(at("two"), phone, refs); len(lines) != 1 || !strings.Contains(lines[0], "out of sight") {
		t.Errorf("got %q, want one line that says so", lines)
	}
}
