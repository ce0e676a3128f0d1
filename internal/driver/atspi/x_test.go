package atspi

import "testing"

func TestGTKNamesAndActionsAreCleaned(t *testing.T) {
	for name, want := range map[string]string{"7 7": "7", "GtkButton": "", "AdwGizmo": "", "Gtk": "Gtk", "Gtk is fun": "Gtk is fun",
		"a b":             "a b",
		"Save as Save as": "Save as", "": "", " ": "", "Gtkish": "Gtkish"} {
		if got := cleanName(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	for _, row := range []struct {
		role  uint32
		index int
		said  string
		want  string
	}{{43, 0, "click", "AXPress"}, {43, 0, "Press", "AXPress"}, {79, 0, "activate", "AXConfirm"}, {56, 2, "activate", "AXConfirm"}, {32, 0,
		"activate", "AXConfirm"}, {32, 0, "Toggle", "atspi:Toggle"}, {7, 0, "Toggle", "AXPress"}, {32, 0, "click", "AXPress"},
		{43, 0, "", "AXPress"}, {43, 1, "", ""}, {39, 0, "", ""}, {51, 0, "Increase", "AXIncrement"}, {43, 0, "ShowMenu", "AXShowMenu"},
		{43, 0, "frobnicate", "atspi:frobnicate"}, {88, 0, "jump", "AXPress"}} {
		if got := nameAction(row.role, row.index, row.said); got != row.want {
			t.Errorf("%+v: %q", row, got)
		}
	}
	if role, _ := roleOf(&item{role: 6}, &item{}); role != "atspi:canvas" {
		t.Errorf("role = %q, want atspi:canvas", role)
	}
	if role, _ := roleOf(&item{role: 9999}, &item{}); role != "atspi:role-9999" {
		t.Errorf("role = %q, want atspi:role-9999", role)
	}
	if role, _ := roleOf(&item{role: 61, states: 1 << stateMultiLine}, &item{}); role != "AXTextArea" {
		t.Errorf("role = %q, want AXTextArea", role)
	}
}
