package defaults_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/defaults"
)

// TestDefaults runs each line in order on the same preferences.
func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		out  string
		err  string
		exit int
	}{
		{"write com.example.shop name Ada", "", "", 0},
		{"read com.example.shop name", "Ada\n", "", 0},
		{"write com.example.shop debug -bool YES", "", "", 0},
		{"read com.example.shop debug", "1\n", "", 0},
		{"read-type com.example.shop debug", "Type is boolean\n", "", 0},
		{"write com.example.shop count -int 7", "", "", 0},
		{"read com.example.shop count", "7\n", "", 0},
		{"read-type com.example.shop count", "Type is integer\n", "", 0},
		{"write com.example.shop ratio -float 0.5", "", "", 0},
		{"read com.example.shop ratio", "0.5\n", "", 0},
		{"write com.example.shop names -array a b", "", "", 0},
		{"write com.example.shop names -array-add c", "", "", 0},
		{"read-type com.example.shop names", "Type is array\n", "", 0},
		{"write com.example.shop map -dict k v", "", "", 0},
		{"delete com.example.shop name", "", "", 0},
		{"read com.example.shop name", "", "pair of (com.example.shop, name) does not exist", 1},
		{"read com.example.none", "", "Domain com.example.none does not exist", 1},
		{"delete com.example.none", "", "not found", 1},
		{"write -g AppleLanguages -array en", "", "", 0},
		{"domains", "com.example.shop\n", "", 0},
		{"write com.example.shop count -int many", "", "not of the type int", 1},
		{"write com.example.shop count", "", "Syntax", 255},
		{"dance", "", "Syntax", 255},
		{"", "", "Syntax", 255},
		{"read " + filepath.Join(dir, "com.example.shop") + " count", "7\n", "", 0},
		{"read " + filepath.Join(dir, "com.example.shop.plist") + " count", "7\n", "", 0},
		{"read ./com.example.shop count", "7\n", "", 0},
	} {
		var out, errout strings.Builder
		exit := defaults.Tool{Preferences: dir, Dir: dir, Stdout: &out, Stderr: &errout}.Run(strings.Fields(c.args))
		if exit != c.exit || out.String() != c.out || !strings.Contains(errout.String(), c.err) {
			t.Errorf("defaults %s: exit %d\n%q\n%q", c.args, exit, out.String(), errout.String())
		}
	}
}
