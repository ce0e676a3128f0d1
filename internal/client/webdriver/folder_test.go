package webdriver_test

import (
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/client/webdriver"
)

// TestServedAtFindsLiveServers: by the port that they noted; not before they serve, not after they left, and not when they were killed.
func TestServedAtFindsLiveServers(t *testing.T) {
	home := t.TempDir()
	folder, err := webdriver.NewFolder(home)
	if err != nil {
		t.Fatal(err)
	}
	if webdriver.ServedAt(home, 4723) || webdriver.ServedAt(home, 0) {
		t.Error("got a port of a server that does not serve yet")
	}
	if err := folder.Serves(4723); err != nil {
		t.Fatal(err)
	}
	if !webdriver.ServedAt(home, 4723) || webdriver.ServedAt(home, 4724) {
		t.Error("got another port than 4723")
	}
	killed := filepath.Join(home, "webdriver-killed")
	if err := os.Mkdir(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed, "owner.json"), []byte(`{"pid":1,"start":"never","port":4725}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if webdriver.ServedAt(home, 4725) {
		t.Error("got the port of a server that was killed")
	}
	if err := folder.Remove(); err != nil || webdriver.ServedAt(home, 4723) {
		t.Errorf("got the port of a server that left, %v", err)
	}
}
