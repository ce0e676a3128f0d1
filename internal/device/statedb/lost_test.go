package statedb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/device/lease"
)

// TestEpochsIncreaseAfterLostFiles: whatever is lost between two processes, the second gives a higher epoch than the first did, also
// when the clock went back, as long as one file is left; with none left, the clock is.
func TestEpochsIncreaseAfterLostFiles(t *testing.T) {
	remove := func(names ...string) func(dir string) error {
		return func(dir string) error {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	database := []string{"state.db", "state.db-wal", "state.db-shm"}
	for name, c := range map[string]struct {
		lose  func(dir string) error
		clock time.Duration
	}{
		"the database deleted": {remove(database...), -24 * time.Hour},
		"the database damaged": {overwrite("state.db"), -24 * time.Hour},
		"the number deleted":   {remove("epoch"), -24 * time.Hour},
		"the number damaged":   {overwrite("epoch"), -24 * time.Hour},
		"the folder deleted":   {remove(append(database, "epoch")...), time.Second},
		"both damaged":         {overwrite("epoch", "state.db"), time.Second},
		"nothing":              {remove(), -24 * time.Hour},
	} {
		dir := t.TempDir()
		claim := func(holder string, now time.Time) uint64 {
			journal := open(t, filepath.Join(dir, "state.db"))
			table := lease.NewTable(lease.Options{Journal: journal, Now: func() time.Time { return now }})
			got, err := table.Acquire(t.Context(), plain(holder, "D1", "D2"))
			if err != nil {
				t.Fatal(name, err)
			}
			table.Close()
			journal.store.Close()
			return got[0].Epoch
		}
		now := time.Now()
		before := claim("ada", now)
		if err := c.lose(dir); err != nil {
			t.Fatal(err)
		}
		if after := claim("bob", now.Add(c.clock)); after <= before || after > 1<<53 {
			t.Errorf("%s: %d after %d", name, after, before)
		}
	}
}

// overwrite puts something else into files.
func overwrite(names ...string) func(dir string) error {
	return func(dir string) (err error) {
		for _, name := range names {
			text := []byte("99999999999999999999 no number, and no database either")
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		return err
	}
}

// TestClaimsSurviveDatabaseDeletion: what is claimed before and after the database was deleted or ruined is known to the next process.
func TestClaimsSurviveDatabaseDeletion(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"deleted":  os.Remove,
		"replaced": func(path string) error { return os.WriteFile(path+".new", nil, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		first := open(t, path)
		table := lease.NewTable(lease.Options{Journal: first})
		for i, device := range []string{"D1", "D2", "D3"} {
			if _, err := table.Acquire(t.Context(), plain("ada", device)); err != nil {
				t.Error(name, err)
			}
			if i > 0 {
				continue
			}
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			_ = os.Rename(path+".new", path)
		}
		if first.store.Notice() == "" {
			t.Errorf("%s: nothing is said about it", name)
		}
		second := open(t, path)
		again := lease.NewTable(lease.Options{Journal: second})
		for _, device := range []string{"D1", "D2", "D3"} {
			if l := get(t, again, device); l.Holder != "ada" {
				t.Errorf("%s: %+v", name, l)
			}
		}
		again.Close()
		table.Close()
	}
}
