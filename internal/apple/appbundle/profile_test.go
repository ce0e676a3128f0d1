package appbundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/appbundle"
)

// TestProfileInSignedMessageIsRead: openssl wrapped the property list into the signed message.
func TestProfileInSignedMessageIsRead(t *testing.T) {
	app := t.TempDir()
	if p, err := appbundle.ReadProfile(app); p != nil || err != nil {
		t.Errorf("app without a profile: got %+v, %v", p, err)
	}
	write := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(app, "embedded.mobileprovision"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile("testdata/team.mobileprovision")
	if err != nil {
		t.Fatal(err)
	}
	write(raw)
	p, err := appbundle.ReadProfile(app)
	if err != nil {
		t.Fatal(err)
	}
	before := time.Date(2026, 3, 9, 8, 15, 0, 0, time.UTC)
	for _, c := range []struct {
		udid string
		now  time.Time
		want string
	}{
		{"00008140-000A61C23E04801C", before, ""},
		{"00008130-001474a90c82001c", before, ""},
		{"00008130-0000000000000000", before, "does not list the device"},
		{"00008140-000A61C23E04801C", before.Add(time.Minute), "expired on 2026-03-09"},
	} {
		if got := p.Refuses(c.udid, c.now); got != c.want && (c.want == "" || !strings.HasSuffix(got, c.want)) {
			t.Errorf("refusal for %s at %s = %q, want %q", c.udid, c.now, got, c.want)
		}
	}
	if got := (&appbundle.Profile{AllDevices: true}).Refuses("any", before); got != "" {
		t.Errorf("an enterprise's profile refuses: %q", got)
	}
	for _, broken := range [][]byte{nil, raw[:200], []byte("</plist><?xml"), []byte("<?xml <plist></plist>")} {
		write(broken)
		if p, err := appbundle.ReadProfile(app); err == nil {
			t.Errorf("%q is read as %+v", broken, p)
		}
	}
}
