package refdb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device/schema"
	"ios-agent/internal/device/session/refdb"
	"ios-agent/internal/machine/store"
)

func open(t *testing.T, path string) refdb.Numbers {
	s := store.New(store.Options{Path: path, Migrations: schema.Migrations()})
	t.Cleanup(func() { s.Close() })
	return refdb.Numbers{Store: s}
}

func load(t *testing.T, n refdb.Numbers, session string) int {
	t.Helper()
	number, err := n.Load(session)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// TestNumbersAreKept for each session, by a process that closes nothing.
func TestNumbersAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	first := open(t, path)
	for _, number := range []int{2000, 3000} {
		if err := first.Save("ada", number); err != nil {
			t.Fatal(err)
		}
	}
	second := open(t, path)
	if ada, bob := load(t, second, "ada"), load(t, second, "bob"); ada != 3000 || bob != 0 {
		t.Errorf("ada %d, bob %d", ada, bob)
	}
}

// TestADamagedFile: what was given out is not known, and is not given out again.
func TestADamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if number := load(t, open(t, path), "ada"); number < 100_000_000 {
		t.Errorf("numbers begin after %d", number)
	}
}
