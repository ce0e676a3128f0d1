package session_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device/session"
)

// TestClientLineShortensFolderAndName: a folder is told from the user's home on, another's by its name alone, and a client's name is a
// short line.
func TestClientLineShortensFolderAndName(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, c := range []struct{ client, dir, want string }{
		{"claude-code", filepath.Join(home, "code", "shop"), "claude-code in ~/code/shop"},
		{"claude-code", home, "claude-code in ~"},
		{"cli", "/Users/eve/secret/shop", "cli in …/shop"},
		{"curl/8.5.0", "", "curl/8.5.0"},
		{"", "", ""},
		{"a\n\x1b[31mb", "", "a[31mb"},
		{strings.Repeat("x", 500), "", strings.Repeat("x", 60)},
	} {
		if got := session.ClientLine(c.client, c.dir); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.client, c.dir, got, c.want)
		}
	}
	var store session.Store
	if store.Client("ada") != "" {
		t.Error("a session nobody made has a client")
	}
	store.Get("ada").From("cli", "/x/shop")
	store.Get("ada").From("", "")
	if got := store.Client("ada"); got != "cli in …/shop" {
		t.Error(got)
	}
}
