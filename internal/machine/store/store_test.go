package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/store"
)

func at(t *testing.T, path string, migrations ...string) *store.Store {
	s := store.New(store.Options{Path: path, Migrations: migrations})
	t.Cleanup(func() { s.Close() })
	return s
}

func count(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	if err := s.Read(func(db *sql.DB) error { return db.QueryRow("SELECT count(*) FROM thing").Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func add(tx *sql.Tx) error {
	_, err := tx.Exec("INSERT INTO thing (name) VALUES ('x')")
	return err
}

const thing = "CREATE TABLE thing (name TEXT)"

func TestMigrationKeepsExistingRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "state.db")
	old := at(t, path, thing)
	if err := old.Write(add); err != nil {
		t.Fatal(err)
	}
	old.Close()
	grown := at(t, path, thing, "ALTER TABLE thing ADD COLUMN colour TEXT; UPDATE thing SET colour = 'red'")
	var colour string
	err := grown.Read(func(db *sql.DB) error { return db.QueryRow("SELECT colour FROM thing").Scan(&colour) })
	if err != nil || colour != "red" {
		t.Error(colour, err)
	}
	grown.Close()
	broken := at(t, filepath.Join(t.TempDir(), "state.db"), thing, "CREATE NONSENSE")
	if err := broken.Write(add); err == nil || !strings.Contains(err.Error(), "migration 2") {
		t.Error(err)
	}
}

func TestFailedWriteIsRolledBack(t *testing.T) {
	s := at(t, filepath.Join(t.TempDir(), "state.db"), thing)
	no := errors.New("changed my mind")
	if err := s.Write(func(tx *sql.Tx) error { return errors.Join(add(tx), no) }); !errors.Is(err, no) {
		t.Error(err)
	}
	if err := s.Write(add); err != nil {
		t.Error(err)
	}
	if n := count(t, s); n != 1 {
		t.Error(n)
	}
}

// TestDamagedFileIsSetAside: a file whose pages are overwritten is set aside, whatever is left of it.
func TestDamagedFileIsSetAside(t *testing.T) {
	for name, ruin := range map[string]func([]byte) []byte{
		"the head": func(b []byte) []byte { return append([]byte("no SQLite at all"), b[16:]...) },
		"a page": func(b []byte) []byte {
			for i := 4096; i < len(b); i++ {
				b[i] = 0xA5
			}
			return b
		},
		"the end": func(b []byte) []byte { return b[:len(b)/2] },
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		s := at(t, path, thing)
		for range 3 {
			if err := s.Write(func(tx *sql.Tx) error {
				for range 200 {
					if err := add(tx); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, ruin(raw), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		again := at(t, path, thing)
		if err := again.Write(add); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := count(t, again); n != 1 || !strings.Contains(again.Notice(), path) {
			t.Errorf("%s: %d rows, notice %q", name, n, again.Notice())
		}
	}
}

// TestStoreReadsWhileDiskIsUnwritable: what is in the file can be read, nothing is written, the error names the file; when the disk takes
// files again the same store works. SQLite needs a file beside its own, and here is a folder in its place.
func TestStoreReadsWhileDiskIsUnwritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	before := at(t, path, thing)
	if err := before.Write(add); err != nil {
		t.Fatal(err)
	}
	before.Close()
	if err := os.Mkdir(path+"-shm", 0o700); err != nil {
		t.Fatal(err)
	}
	s := at(t, path, thing)
	var failed *store.FailedError
	if err := s.Write(add); !errors.As(err, &failed) || failed.Path != path {
		t.Errorf("%v", err)
	}
	if f := fault.From(s.Write(add)); f.Code != fault.StateFailed || !strings.Contains(f.Message, path) {
		t.Errorf("%+v", f)
	}
	if n := count(t, s); n != 1 {
		t.Errorf("%d rows can be read", n)
	}
	if err := os.Remove(path + "-shm"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(add); err != nil || count(t, s) != 2 {
		t.Error(err)
	}
}

// TestOpenStoreSetsDamagedFileAside: a file that is ruined while it is open is set aside, and what is written goes to a new one.
func TestOpenStoreSetsDamagedFileAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := at(t, path, thing)
	if err := s.Write(add); err != nil {
		t.Fatal(err)
	}
	err := s.Read(func(db *sql.DB) error {
		_, err := db.Exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("ruin", 1024)), 4096); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := s.Write(add); err != nil || count(t, s) != 1 || !strings.Contains(s.Notice(), "set aside") {
		t.Errorf("%v, %d rows, notice %q", err, count(t, s), s.Notice())
	}
}

// TestStoreRecreatesDeletedFile: what is written goes to a file that has its name.
func TestStoreRecreatesDeletedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := at(t, path, thing)
	if err := s.Write(add); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(add); err != nil || !strings.Contains(s.Notice(), "deleted") {
		t.Errorf("%v, notice %q", err, s.Notice())
	}
	s.Close()
	if again := at(t, path, thing); again.Absent() || count(t, again) == 0 {
		t.Error("it was written to a file without a name")
	}
}
