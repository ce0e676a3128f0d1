// Package refdb keeps in the store which ref numbers each session has used up.
package refdb

import (
	"database/sql"
	"errors"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/machine/store"
)

// Numbers are the ref numbers of all sessions.
type Numbers struct{ Store *store.Store }

var _ session.Numbers = Numbers{}

// Load gives the highest number that a session has reserved; 0 when it has none. When the file was damaged and its numbers
// are forgotten, it is one above all of them.
func (n Numbers) Load(name string) (reserved int, err error) {
	err = n.Store.Read(func(db *sql.DB) error {
		err := db.QueryRow("SELECT reserved FROM ref_number WHERE session = ?", name).Scan(&reserved)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if n.Store.Notice() != "" {
			reserved = session.Unreserved(time.Now())
		}
		return nil
	})
	return reserved, err
}

// Save returns when the number is on the disk.
func (n Numbers) Save(name string, reserved int) error {
	return n.Store.Write(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO ref_number (session, reserved) VALUES (?,?)", name, reserved)
		return err
	})
}
