package ui

import "testing"

// TestMarkedListsVisibleElementsOnly: a picture points out what the outline names and a finger could meet, and no more of it than can be
// seen.
func TestMarkedListsVisibleElementsOnly(t *testing.T) {
	row := nameless(at("Cell", 0, 100, 400, 50, at("StaticText", 20, 110, 100, 30), at("Button", 300, 110, 80, 30)))
	field, under := at("TextField", 0, 200, 400, 50), at("Button", 0, 560, 400, 50)
	half := at("TextView", 0, 400, 400, 200)
	app := at("Application", 0, 0, 400, 800, nameless(at("Window", 0, 0, 400, 800, row, field, half, under)),
		nameless(at("Window", 0, 0, 400, 800, nameless(at("Keyboard", 0, 550, 400, 250, at("Key", 0, 560, 40, 40))))))
	s := NewScreen("a", "running_foreground", app)
	want := map[*Node]Rect{row.Children[1]: row.Children[1].Frame, field: field.Frame, half: {0, 400, 400, 150}}
	marks := s.Marked()
	if len(marks) != len(want) {
		t.Errorf("%d marks, want %d", len(marks), len(want))
	}
	for _, m := range marks {
		if m.Frame != want[m.Node] {
			t.Errorf("%s: %v, want %v", m.Node.Describe(), m.Frame, want[m.Node])
		}
		if !m.Node.Tells() || !m.Node.Visible() {
			t.Errorf("%s is pointed out, but has no line in an outline", m.Node.Describe())
		}
	}
	modal := at("Alert", 65, 300, 270, 150, at("Button", 65, 400, 270, 44))
	s = NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, at("Button", 0, 100, 400, 50), modal))
	if marks := s.Marked(); len(marks) != 1 || marks[0].Node != modal.Children[0] {
		t.Errorf("behind an alert: %v", marks)
	}
}
