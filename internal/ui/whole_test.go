package ui_test

import (
	"strings"
	"testing"
	"time"

	"ios-agent/internal/ui"
)

// TestLongTexts: an outline cuts a long text and tells the way to all of it; it can be named as it was shown, and shown whole.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("The quick brown fox\njumps over the lazy dog. ", 5)
	root := login()
	root.Children = append(root.Children, &ui.Node{Type: "StaticText", Label: long, Frame: ui.Rect{X: 10, Y: 700, W: 300, H: 60}})
	s, refs := screen(root), &ui.Refs{}
	short := s.Outline(phone, refs)
	const footer = "\n… long texts are cut: `ios-agent get REF` has one whole, `--full` all"
	if strings.Contains(short, long[60:]) || !strings.HasSuffix(short, footer) {
		t.Errorf("cut:\n%s", short)
	}
	_, shown, _ := strings.Cut(short, `text "The`)
	shown, _, _ = strings.Cut("The"+shown, `" [ref`)
	if !strings.HasSuffix(shown, "…") || !strings.Contains(shown, `fox\njumps`) {
		t.Fatalf("shown as %s", shown)
	}
	for _, name := range []string{shown, long, strings.ToUpper(long)} {
		if n, err := refs.Find(ui.Query{Label: name}, phone, s); err != nil || n.Label != long {
			t.Errorf("by %q: %v", name, err)
		}
	}
	if _, err := refs.Find(ui.Query{Label: shown[:40] + "…"}, phone, s); err == nil {
		t.Error("a text that was never shown so is found")
	}
	full := s.OutlineOf(ui.Outlining{Full: true}, phone, refs)
	if !strings.Contains(full, strings.ReplaceAll(long, "\n", `\n`)) || strings.Contains(full, "are cut") {
		t.Errorf("full:\n%s", full)
	}
}

// TestScope: what a snapshot for programs has is what its outline is about.
func TestScope(t *testing.T) {
	s := screen(login())
	all := s.Scope(ui.Outlining{})
	if len(all) != len(s.Nodes()) {
		t.Errorf("%d of %d elements without a choice", len(all), len(s.Nodes()))
	}
	box := s.Nodes()[len(s.Nodes())-1]
	if in := s.Scope(ui.Outlining{Within: box}); len(in) != 1 || in[0] != box {
		t.Errorf("within %s: %v", box.Describe(), in)
	}
	if flat := s.Scope(ui.Outlining{Depth: 1, All: true}); len(flat) != 1 {
		t.Errorf("%d elements at depth 1", len(flat))
	}
}

// TestActionsByRole: everything that can be done with an element is offered, and nothing that cannot.
func TestActionsByRole(t *testing.T) {
	frame := func(y float64) ui.Rect { return ui.Rect{X: 10, Y: y, W: 200, H: 40} }
	root := &ui.Node{Type: "Application", Frame: ui.Rect{W: 390, H: 844}, Children: []*ui.Node{
		{Type: "Button", Label: "Go", Frame: frame(60)},
		{Type: "TextField", Label: "Name", Frame: frame(120)},
		{Type: "Slider", Label: "Volume", Frame: frame(180)},
		{Type: "Button", Label: "Off", Disabled: true, Frame: frame(240)},
		{Type: "Table", Label: "List", Frame: ui.Rect{X: 0, Y: 300, W: 390, H: 400}},
		{Type: "StaticText", Label: "Words", Frame: frame(740)},
	}}
	s, refs := screen(root), &ui.Refs{}
	got := map[string][]string{}
	labels := map[string]string{}
	snapshot := s.Snapshot(phone, refs, time.Time{})
	for _, e := range snapshot.Elements {
		labels[e.Ref] = e.Label
	}
	for _, a := range snapshot.Actions {
		got[labels[a.Target]] = append(got[labels[a.Target]], a.Name)
	}
	for label, want := range map[string]string{
		"Go": "tap double_tap long_press", "Name": "tap double_tap long_press type fill clear", "Volume": "tap double_tap long_press set_value",
		"Off": "", "List": "swipe scroll_to", "Words": "",
	} {
		if said := strings.Join(got[label], " "); said != want {
			t.Errorf("%s: %q, want %q", label, said, want)
		}
	}
}
