package wda

import (
	"ios-agent/internal/device"
	"math"
	"testing"

	"ios-agent/internal/ui"
)

// FuzzRead: a tree of unknown origin is read or refused, and its frames have finite numbers.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"type":"Application","rawIdentifier":null,"name":"Shop","label":"Shop","value":null,"rect":{"x":0,"y":0,"width":393,"height":852},` +
			`"nativeFrame":"{{0, 0}, {393, 852}}","isEnabled":"1","traits":"","children":[{"type":"Button","rawIdentifier":"b","label":"B",` +
			`"value":"1","traits":"Button, Selected","rect":{"x":1,"y":2,"width":3,"height":4},"nativeFrame":"{{1.5, 2}, {inf, 4}}"}]}`,
		`<?xml version="1.0" encoding="UTF-8"?><XCUIElementTypeApplication type="XCUIElementTypeApplication" name="Shop" label="Shop" ` +
			`enabled="true" x="0" y="0" width="393" height="852"><XCUIElementTypeOther type="XCUIElementTypeOther" traits="Button"/>` +
			`</XCUIElementTypeApplication>`,
		`null`, `[]`, `{"type":`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		s, err := read(t.Context(), source)
		if err != nil {
			return
		}
		_ = device.Digest("app", "", s.root)
		s.root.Walk(func(n *ui.Node) bool {
			for _, side := range []float64{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H} {
				if math.IsNaN(side) || math.IsInf(side, 0) {
					t.Errorf("a frame %v", n.Frame)
				}
			}
			return true
		})
	})
}

// TestValuesAndTypesAreRestored: the driver undoes WebDriverAgent's changes to values, frames and types.
func TestValuesAndTypesAreRestored(t *testing.T) {
	for source, want := range map[string]ui.Node{
		`{"type":"StaticText","label":"Hello","value":"Hello","rawIdentifier":null,"name":"Hello"}`: {Type: "StaticText", Label: "Hello"},
		`{"type":"StaticText","label":"Hello","value":"7","rawIdentifier":"a","name":"a"}`: {Type: "StaticText", Label: "Hello", Value: "7",
			Identifier: "a"},
		`{"type":"Button","label":"B","value":"1","traits":"Button, Selected","rawIdentifier":null}`: {Type: "Button", Label: "B",
			Selected: true},
		`{"type":"Switch","label":"S","value":"1","traits":"Button","rawIdentifier":null}`: {Type: "Switch", Label: "S", Value: "1"},
		`{"type":"TextField","label":"","value":"Name","placeholderValue":"Name","rawIdentifier":"f"}`: {Type: "TextField", Identifier: "f",
			Placeholder: "Name"},
		`{"type":"TextField","label":"","value":"Ada","placeholderValue":"Name","rawIdentifier":"f","isEnabled":"0"}`: {Type: "TextField",
			Identifier: "f", Placeholder: "Name", Value: "Ada", Disabled: true},
		`{"type":"Other","label":"O","traits":"Button","rawIdentifier":null,"rect":{"x":1,"y":1,"width":9,"height":9},` +
			`"nativeFrame":"{{1.25, 1.5}, {8.125, 8}}"}`: {Type: "Other", Label: "O", Frame: ui.Rect{X: 1.25, Y: 1.5, W: 8.125, H: 8}},
	} {
		s, err := read(t.Context(), []byte(`{"type":"Application","rawIdentifier":null,"children":[`+source+`]}`))
		if err != nil || len(s.root.Children) != 1 {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got := *s.root.Children[0]
		same := got.Type == want.Type && got.Label == want.Label && got.Value == want.Value && got.Identifier == want.Identifier &&
			got.Placeholder == want.Placeholder && got.Disabled == want.Disabled && got.Selected == want.Selected &&
			(want.Frame.Empty() || got.Frame == want.Frame)
		if !same || got.Extra != nil {
			t.Errorf("%s:\n%+v, want\n%+v", source, got, want)
		}
	}
}
