package statedb

import (
	"database/sql"
	"errors"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/machine/store"
)

// Numbers stores the ref numbers of all sessions.
type Numbers struct {
	Store *store.Store
	Lost  bool // an earlier file is lost
}

var _ session.Numbers = Numbers{}

// Load gives the highest number that a session has reserved; 0 for a new session. After the loss of an earlier file, the result is
// above all of its numbers, for this session and for later ones.
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

// Save returns once the number is on disk.
func (n Numbers) Save(name string, reserved int) error {
	return n.Store.Write(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO ref_number (session, reserved) VALUES (?,?)", name, reserved)
		if err != nil {
			return err
		}
		return forget(tx)
	})
}

// mostNumbers is the maximum number of sessions with a stored number: session names come from callers.
const mostNumbers = 20_000

// forgotten is the row for all sessions whose number was dropped. It cannot be a session's name: session names are printable.
const forgotten = "\n"

// forget drops the lower half of the numbers when the table is full. A dropped session that returns begins above all of them.
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
