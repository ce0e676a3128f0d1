package statedb

import (
	"database/sql"
	"errors"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/machine/store"
)

// Numbers are the ref numbers of all sessions.
type Numbers struct {
	Store *store.Store
	Lost  bool // there was a file before this one, which is gone
}

var _ session.Numbers = Numbers{}

// Load gives the highest number that a session has reserved; 0 when it has none. When the numbers of a file before are forgotten,
// because it was damaged or deleted, it is one above all of them, for this session and for all that come later.
func (n Numbers) Load(name string) (reserved int, err error) {
	err = n.Store.Read(func(db *sql.DB) error {
		return db.QueryRow("SELECT reserved FROM ref_number WHERE session IN (?,?) ORDER BY session = ? DESC", name, forgotten, name).
			Scan(&reserved)
	})
	if !errors.Is(err, sql.ErrNoRows) {
		return reserved, err
	}
	if !n.Lost && n.Store.Notice() == "" {
		return 0, nil
	}
	reserved = session.Unreserved(time.Now())
	return reserved, n.Store.Write(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR IGNORE INTO ref_number (session, reserved) VALUES (?,?)", forgotten, reserved)
		return err
	})
}

// Save returns when the number is on the disk.
func (n Numbers) Save(name string, reserved int) error {
	return n.Store.Write(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO ref_number (session, reserved) VALUES (?,?)", name, reserved)
		if err != nil {
			return err
		}
		return forget(tx)
	})
}

// mostNumbers is how many sessions have a number of their own: their names come from callers.
const mostNumbers = 20_000

// forgotten is the row of all sessions that have none any more. It is the name of no session: those are printable.
const forgotten = "\n"

// forget lets the half with the lowest numbers go when there are too many. Whoever of them comes back begins above all of them.
func forget(tx *sql.Tx) error {
	var count, highest int
	if err := tx.QueryRow("SELECT COUNT(*) FROM ref_number").Scan(&count); err != nil || count <= mostNumbers {
		return err
	}
	if err := tx.QueryRow("SELECT reserved FROM ref_number ORDER BY reserved LIMIT 1 OFFSET ?", mostNumbers/2).Scan(&highest); err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM ref_number WHERE reserved <= ?", highest); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT OR IGNORE INTO ref_number (session, reserved) VALUES (?,?)", forgotten, highest)
	return err
}
