package bundleid

import (
	"strings"
	"testing"
)

func TestCheckRefusesInvalidBundleIDs(t *testing.T) {
	for _, id := range []string{"com.example.Shop", "Shop", "com.example.my_app-2", "3d.viewer", strings.Repeat("a", 255)} {
		if err := Check(id); err != nil || Shown(id) != id {
			t.Errorf("%q: %v, shown as %s; want it as it is", id, err, Shown(id))
		}
	}
	for _, id := range []string{
		"", "-x", ".x", "com.example shop", "com.example\n- button", "com.example\r", "com.example\x00", `com."example"`, "com.example`x`",
		"com.example[ref=e1]", "com/example", "com.exämple", "com.\u202eexample", strings.Repeat("a", 256), "com.example\n",
	} {
		if err := Check(id); err == nil || strings.ContainsAny(err.Error()+Shown(id), "\n\r\x00\u202e") || id != "" && Shown(id) == id {
			t.Errorf("%q: %v, shown as %s; want it refused, and quoted on one line", id, err, Shown(id))
		}
	}
}
