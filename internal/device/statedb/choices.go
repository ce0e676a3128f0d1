package statedb

import (
	"database/sql"
	"errors"

	"ios-agent/internal/device/session"
	"ios-agent/internal/machine/store"
)

// Choices stores the device choices of all sessions.
type Choices struct{ Store *store.Store }

var _ session.Choices = Choices{}

// Load gives the choice of a session.
func (c Choices) Load(name string) (chosen session.Choice, err error) {
	err = c.Store.Read(func(db *sql.DB) error {
		return db.QueryRow("SELECT device, name FROM device_choice WHERE session = ?", name).Scan(&chosen.UDID, &chosen.Name)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return chosen, err
}

// mostChoices is the maximum number of stored choices, the latest ones: session names come from callers.
const mostChoices = 10_000

// Save returns once the choice is on disk.
func (c Choices) Save(name string, chosen func() session.Choice) error {
	return c.Store.Write(func(tx *sql.Tx) error {
		now := chosen()
		_, err := tx.Exec("DELETE FROM device_choice WHERE session = ?", name)
		if err != nil || now == (session.Choice{}) {
			return err
		}
		_, err = tx.Exec("INSERT INTO device_choice (session, device, name) VALUES (?,?,?)", name, now.UDID, now.Name)
		if err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM device_choice WHERE id <= (SELECT id FROM device_choice ORDER BY id DESC LIMIT 1 OFFSET ?)", mostChoices)
		return err
	})
}
