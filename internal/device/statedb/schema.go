// Package statedb reads and writes state.db, the state of leases and sessions that survives a restart of the daemon. It has the leases of
// devices with their log, the ref numbers of sessions, and the device that each session chose. Migrations are its tables; Journal, Numbers
// and Choices read and write them through a machine/store. The packages lease and session make the decisions.
package statedb

// Migrations bring a file from version i to i+1. The list only grows; existing migrations never change.
func Migrations() []string {
	return []string{
		`
		CREATE TABLE lease (
			resource TEXT PRIMARY KEY, holder TEXT NOT NULL, kind TEXT NOT NULL, epoch INTEGER NOT NULL,
			since INTEGER NOT NULL, used INTEGER NOT NULL, expires INTEGER NOT NULL, ttl INTEGER NOT NULL,
			reset TEXT NOT NULL, dirty INTEGER NOT NULL
		) WITHOUT ROWID;
		CREATE TABLE lease_log (
			id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL, resource TEXT NOT NULL, epoch INTEGER NOT NULL,
			holder TEXT NOT NULL, came_from TEXT NOT NULL, reason TEXT NOT NULL
		)`,
		`CREATE TABLE ref_number (session TEXT PRIMARY KEY, reserved INTEGER NOT NULL) WITHOUT ROWID`,
		`ALTER TABLE lease ADD COLUMN co_drivers TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE lease ADD COLUMN claim TEXT NOT NULL DEFAULT ''; ALTER TABLE lease ADD COLUMN wish TEXT NOT NULL DEFAULT ''`,
		`CREATE TABLE device_choice (
			id INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, device TEXT NOT NULL, name TEXT NOT NULL
		)`,
	}
}
