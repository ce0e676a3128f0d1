package statedb_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device/statedb"
)

func numbers(t *testing.T, path string) statedb.Numbers {
	return statedb.Numbers{Store: open(t, path).store}
}

func load(t *testing.T, n statedb.Numbers, session string) int {
	t.Helper()
	number, err := n.Load(session)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// TestRefNumbersSurviveReopen for each session, by a process that closes nothing.
func TestRefNumbersSurviveReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	first := numbers(t, path)
	for _, number := range []int{2000, 3000} {
		if err := first.Save("ada", number); err != nil {
			t.Fatal(err)
		}
	}
	second := numbers(t, path)
	if ada, bob := load(t, second, "ada"), load(t, second, "bob"); ada != 3000 || bob != 0 {
		t.Errorf("ada %d, bob %d", ada, bob)
	}
}

// TestDamagedFileSkipsToHighRefNumbers: what was given out is not known, and is not given out again.
func TestDamagedFileSkipsToHighRefNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if number := load(t, numbers(t, path), "ada"); number < 100_000_000 {
		t.Errorf("numbers begin after %d", number)
	}
}

// TestDeletedFileSkipsToHighRefNumbers: likewise, also in the process after the one that found it gone.
func TestDeletedFileSkipsToHighRefNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	n := numbers(t, path)
	n.Lost = true
	first := load(t, n, "ada")
	if first < 100_000_000 {
		t.Errorf("numbers begin after %d", first)
	}
	if later := load(t, numbers(t, path), "bob"); later < first {
		t.Errorf("in the next process numbers begin after %d, not %d", later, first)
	}
}

// TestForgottenSessionGetsHigherRefNumbers: there is no row for every name that was ever given; whoever comes back begins above.
func TestForgottenSessionGetsHigherRefNumbers(t *testing.T) {
	n := numbers(t, filepath.Join(t.TempDir(), "state.db"))
	err := n.Store.Write(func(tx *sql.Tx) error {
		for i := range 20_000 {
			if _, err := tx.Exec("INSERT INTO ref_number (session, reserved) VALUES (?,?)", fmt.Sprint("s", i), 2000+i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Save("ada", 500_000); err != nil {
		t.Fatal(err)
	}
	var rows int
	err = n.Store.Read(func(db *sql.DB) error { return db.QueryRow("SELECT COUNT(*) FROM ref_number").Scan(&rows) })
	if err != nil || rows > 11_000 {
		t.Errorf("%d rows: %v", rows, err)
	}
	for session, least := range map[string]int{"ada": 500_000, "s0": 2000, "s9999": 11_999, "s19999": 21_999, "new": 0} {
		if got := load(t, n, session); got < least {
			t.Errorf("%s begins after %d", session, got)
		}
	}
}
