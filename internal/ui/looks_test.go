package ui_test

import (
	"fmt"
	"testing"

	"ios-agent/internal/ui"
)

// titled is a screen with one text.
func titled(text string) *ui.Screen {
	return ui.NewScreen("com.example.app", "running_foreground", &ui.Node{
		Type: "Application", Frame: ui.Rect{W: 100, H: 100},
		Children: []*ui.Node{{Type: "StaticText", Label: text, Frame: ui.Rect{W: 50, H: 20}}},
	})
}

// TestManyLooksKeepScreenOfOtherDevice: what changed on the other device since it was shown can still be told.
func TestManyLooksKeepScreenOfOtherDevice(t *testing.T) {
	refs := &ui.Refs{}
	refs.Remember("other", titled("first"))
	for i := range 20 {
		refs.Remember("busy", titled(fmt.Sprint("look ", i)))
	}
	if refs.Shown("other") == nil || refs.Lapsed("other") {
		t.Errorf("got %v, lapsed %t; want the screen of the other device", refs.Shown("other"), refs.Lapsed("other"))
	}
	if refs.Recall("busy", titled("look 19").Hash()) == nil {
		t.Error("got no screen of the last look, want it")
	}
}

// TestLapsedReportsForgottenScreen: Lapsed reports a forgotten screen, so that a caller learns that changes are unknown.
func TestLapsedReportsForgottenScreen(t *testing.T) {
	refs := &ui.Refs{}
	for i := range 20 {
		refs.Remember(fmt.Sprint("device ", i), titled("first"))
	}
	if !refs.Lapsed("device 0") || refs.Lapsed("device 19") {
		t.Errorf("got lapsed %t and %t, want the first device's alone", refs.Lapsed("device 0"), refs.Lapsed("device 19"))
	}
}
