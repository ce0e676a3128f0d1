package statedb_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/device/statedb"
)

func choices(t *testing.T, path string) statedb.Choices {
	return statedb.Choices{Store: open(t, path).store}
}

func save(t *testing.T, c statedb.Choices, name string, chosen session.Choice) {
	t.Helper()
	if err := c.Save(name, func() session.Choice { return chosen }); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, c statedb.Choices, name string, want session.Choice) {
	t.Helper()
	if got, err := c.Load(name); got != want || err != nil {
		t.Errorf("%s: got %+v %v, want %+v", name, got, err, want)
	}
}

// TestChoicesSurviveReopen for each session, by a process that closes nothing, until they are removed.
func TestChoicesSurviveReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	first := choices(t, path)
	phone, pad := session.Choice{UDID: "D1", Name: "iPhone 16"}, session.Choice{UDID: "D2", Name: "iPad"}
	save(t, first, "ada", phone)
	save(t, first, "ada", pad)
	save(t, first, "bob", phone)
	save(t, first, "bob", session.Choice{})
	second := choices(t, path)
	want(t, second, "ada", pad)
	want(t, second, "bob", session.Choice{})
	want(t, second, "kim", session.Choice{})
}

// TestOldestChoicesAreRemovedAboveLimit when there are too many, those made first.
func TestOldestChoicesAreRemovedAboveLimit(t *testing.T) {
	c := choices(t, filepath.Join(t.TempDir(), "state.db"))
	err := c.Store.Write(func(tx *sql.Tx) error {
		for i := range 10_000 {
			_, err := tx.Exec("INSERT INTO device_choice (session, device, name) VALUES (?,'D1','iPhone')", fmt.Sprint("s", i))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	phone := session.Choice{UDID: "D1", Name: "iPhone"}
	save(t, c, "s0", phone) // again: it is the newest now
	save(t, c, "ada", phone)
	want(t, c, "s0", phone)
	want(t, c, "ada", phone)
	want(t, c, "s1", session.Choice{})
	want(t, c, "s2", phone)
}
