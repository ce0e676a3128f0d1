package statedb

import (
	"database/sql"
	"errors"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/machine/store"
)

// mostLog is the maximum number of log entries.
const mostLog = 10_000

// JournalOptions configure a Journal.
type JournalOptions struct {
	Store *store.Store
	// EpochFile has a number above all epochs, so that epochs never go back if the store is lost. It has no other use and may be empty.
	EpochFile string
}

// Journal stores the leases of a table and a log of their events: the holders, the take-overs and their reasons.
type Journal struct {
	store *store.Store
	epoch ceiling
	saved bool // the store has leases
}

var _ lease.Journal = (*Journal)(nil)

// NewJournal makes a journal without opening a file.
func NewJournal(o JournalOptions) *Journal {
	return &Journal{store: o.Store, epoch: ceiling{path: o.EpochFile}}
}

// Load reads all leases. A missing store that cannot be made counts as empty.
func (j *Journal) Load() (lease.Kept, error) {
	kept := lease.Kept{Epoch: j.epoch.read()}
	err := j.load(&kept)
	if err != nil && j.store.Absent() {
		err = nil
	}
	j.saved = len(kept.Leases) > 0
	return kept, err
}

func (j *Journal) load(kept *lease.Kept) error {
	return j.store.Read(func(db *sql.DB) error {
		rows, err := db.Query(`SELECT resource, holder, kind, epoch, since, used, expires, ttl, reset, dirty, co_drivers, claim, wish FROM lease`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var l lease.Lease
			var since, used, expires int64
			err := rows.Scan(&l.Resource, &l.Holder, &l.Kind, &l.Epoch, &since, &used, &expires, &l.TTL, &l.Reset, &l.Dirty, &l.CoDrivers,
				&l.Claim.ID, &l.Claim.Wish)
			if err != nil {
				return err
			}
			l.Since, l.Used, l.Expires = moment(since), moment(used), moment(expires)
			kept.Leases = append(kept.Leases, l)
		}
		return rows.Err()
	})
}

// Save writes all events in one transaction.
func (j *Journal) Save(events []lease.Event) error {
	if err := j.epoch.raise(events); err != nil {
		return err
	}
	err := j.store.Write(func(tx *sql.Tx) error {
		if err := j.remembers(tx); err != nil {
			return err
		}
		for _, e := range events {
			if err := save(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	var forgotten *lease.ForgottenError
	if errors.As(err, &forgotten) {
		j.saved, j.epoch.at = false, 0 // both files may have been deleted together
	}
	j.saved = j.saved || err == nil
	return err
}

// remembers returns a *lease.ForgottenError if the store was lost since the last call. Leases are never deleted from it.
func (j *Journal) remembers(tx *sql.Tx) error {
	if !j.saved {
		return nil
	}
	var some bool
	if err := tx.QueryRow("SELECT EXISTS (SELECT 1 FROM lease)").Scan(&some); err != nil || some {
		return err
	}
	return &lease.ForgottenError{Path: j.store.Path()}
}

func save(tx *sql.Tx, e lease.Event) error {
	l := e.Lease
	_, err := tx.Exec(`INSERT OR REPLACE INTO lease
		(resource, holder, kind, epoch, since, used, expires, ttl, reset, dirty, co_drivers, claim, wish) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		l.Resource, l.Holder, l.Kind, int64(l.Epoch), number(l.Since), number(l.Used), number(l.Expires), l.TTL, l.Reset, l.Dirty, l.CoDrivers,
		l.Claim.ID, l.Claim.Wish)
	if err != nil || e.What == lease.Renewed {
		return err
	}
	added, err := tx.Exec("INSERT INTO lease_log (at, what, resource, epoch, holder, came_from, reason) VALUES (?,?,?,?,?,?,?)",
		number(e.At), e.What, l.Resource, int64(l.Epoch), l.Holder, e.From, e.Reason)
	if err != nil {
		return err
	}
	id, err := added.LastInsertId()
	if err != nil || id%100 != 0 {
		return err
	}
	_, err = tx.Exec("DELETE FROM lease_log WHERE id <= ?", id-mostLog)
	return err
}

// Log reads the latest events of one resource or of all, the newest first.
func (j *Journal) Log(resource string, most int) (events []lease.Event, err error) {
	err = j.store.Read(func(db *sql.DB) error {
		rows, err := db.Query(`SELECT at, what, resource, epoch, holder, came_from, reason FROM lease_log
			WHERE ?1 = '' OR resource = ?1 ORDER BY id DESC LIMIT ?2`, resource, most)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e lease.Event
			var at int64
			if err := rows.Scan(&at, &e.What, &e.Lease.Resource, &e.Lease.Epoch, &e.Lease.Holder, &e.From, &e.Reason); err != nil {
				return err
			}
			e.At = moment(at)
			events = append(events, e)
		}
		return rows.Err()
	})
	return events, err
}

// number is a time in nanoseconds of UTC; 0 for the zero time.
func number(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
