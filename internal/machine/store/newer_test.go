package store_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/machine/store"
)

// TestNewerFileIsNotChanged: an older program says which file it is, and its version and ours, and changes no byte of it;
// whether the newer program ended well or was killed.
func TestNewerFileIsNotChanged(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, newer *store.Store, path string) string{
		"ended": func(t *testing.T, newer *store.Store, path string) string { newer.Close(); return path },
		"killed": func(t *testing.T, newer *store.Store, path string) string { // what a killed one leaves: its log beside the file
			copied := filepath.Join(t.TempDir(), "state.db")
			for suffix, raw := range files(t, path) {
				if err := os.WriteFile(copied+suffix, raw, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return copied
		},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		old := at(t, path, thing)
		if err := old.Write(add); err != nil {
			t.Fatal(err)
		}
		old.Close()
		newer := at(t, path, thing, "ALTER TABLE thing ADD COLUMN colour TEXT", "UPDATE thing SET colour = 'red'")
		if err := newer.Write(add); err != nil {
			t.Fatal(err)
		}
		path = end(t, newer, path)
		before := sums(t, path)
		older := at(t, path, thing)
		for what, err := range map[string]error{"write": older.Write(add), "read": older.Read(func(*sql.DB) error { return nil })} {
			var no *store.NewerError
			if !errors.As(err, &no) || no.Version != 3 || no.Known != 1 || no.Path != path {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if n := older.Notice(); !strings.Contains(n, path) || !strings.Contains(n, "version 3") || !strings.Contains(n, "up to 1") {
			t.Errorf("%s: the notice is %q", name, n)
		}
		older.Close()
		if after := sums(t, path); !maps.Equal(before, after) {
			t.Errorf("%s: the files changed: %v, now %v", name, before, after)
		}
	}
}

// TestStoreFilesArePrivate: neither the file nor what SQLite puts beside it can be read by others.
func TestStoreFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := at(t, path, thing).Write(add); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(path + "*")
	if err != nil || len(found) < 2 {
		t.Fatal(found, err)
	}
	for _, name := range found {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// files are a database file and what lies beside it, by what follows its name.
func files(t *testing.T, path string) map[string][]byte {
	t.Helper()
	found, err := filepath.Glob(path + "*")
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	out := map[string][]byte{}
	for _, name := range found {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(name, path)] = raw
	}
	return out
}

func sums(t *testing.T, path string) map[string][32]byte {
	out := map[string][32]byte{}
	for suffix, raw := range files(t, path) {
		out[suffix] = sha256.Sum256(raw)
	}
	return out
}
