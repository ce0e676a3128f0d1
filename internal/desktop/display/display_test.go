package display

import (
	"strings"
	"testing"
)

// TestPrivateFoldersAreInsideDisplayFolder: nothing that a program remembers is left in the user's folders.
func TestPrivateFoldersAreInsideDisplayFolder(t *testing.T) {
	d := &Display{dir: "/run/display"}
	found := 0
	for _, pair := range d.Private() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "XDG_") {
			if found++; !strings.HasPrefix(value, "/run/display/") {
				t.Errorf("got %s, want a folder of the display", pair)
			}
		}
	}
	if found != 4 {
		t.Errorf("got %q, want folders for settings, data, state and caches", d.Private())
	}
}
