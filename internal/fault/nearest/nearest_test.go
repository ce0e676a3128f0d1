package nearest_test

import (
	"slices"
	"testing"

	"ios-agent/internal/fault/nearest"
)

func TestToSuggestsNearestNames(t *testing.T) {
	names := []string{"launch_app", "list_devices", "tap_element", "terminate_app", "type_text"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"lanch_app", []string{"launch_app"}},
		{"TAP_ELEMENT", []string{"tap_element"}},
		{"tap", []string{"tap_element"}},
		{"devices", []string{"list_devices"}},
		{"tpye_text", []string{"type_text"}},
		{"quux", nil},
		{"", nil},
	} {
		if got := nearest.To(c.word, names, 2); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.word, got, c.want)
		}
	}
}
