package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/machine/store"
)

func expendable(t *testing.T, path string, version int) *store.Store {
	s := store.New(store.Options{Path: path, Migrations: []string{thing}, Expendable: version})
	t.Cleanup(func() { s.Close() })
	return s
}

// TestReadersDoNotWaitForWriters: while somebody writes, others read what was there before.
func TestReadersDoNotWaitForWriters(t *testing.T) {
	s := expendable(t, filepath.Join(t.TempDir(), "big.db"), 1)
	if err := s.Write(add); err != nil {
		t.Fatal(err)
	}
	err := s.Write(func(tx *sql.Tx) error {
		err := add(tx)
		if n := count(t, s); n != 1 {
			t.Errorf("%d rows before the end of the write", n)
		}
		return err
	})
	if err != nil || count(t, s) != 2 {
		t.Error(err, count(t, s))
	}
}

// TestFileOfOtherVersionIsSetAside: newer or older, the file is set aside; of those that were, the last is kept.
func TestFileOfOtherVersionIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.db")
	for _, version := range []int{2, 3, 1} {
		s := expendable(t, path, version)
		if err := s.Write(add); err != nil || count(t, s) != 1 {
			t.Errorf("version %d: %v, %d rows", version, err, count(t, s))
		}
		if told := strings.Contains(s.Notice(), "set aside"); told != (version != 2) {
			t.Errorf("version %d: notice %q", version, s.Notice())
		}
		s.Close()
	}
	if found, err := filepath.Glob(path + ".damaged-*"); err != nil || len(found) != 1 {
		t.Error(found, err)
	}
}
