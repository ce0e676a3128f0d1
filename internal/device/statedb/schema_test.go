package statedb_test

import (
	"bytes"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/statedb"
)

var update = flag.Bool("update", false, "write the state.db files of earlier schemas anew")

// file is what state.db was like at some version. Its SQL is a copy of that time, and is never changed: it is what the
// programs of that time wrote.
type file struct {
	made, filled string
	leases       []lease.Lease
	log          []lease.Event // the newest first
}

// schemas are those of all versions, from 0. A new migration adds one, with its file.
func schemas() []file {
	v1 := file{
		made: `CREATE TABLE lease (
			resource TEXT PRIMARY KEY, holder TEXT NOT NULL, kind TEXT NOT NULL, epoch INTEGER NOT NULL,
			since INTEGER NOT NULL, used INTEGER NOT NULL, expires INTEGER NOT NULL, ttl INTEGER NOT NULL,
			reset TEXT NOT NULL, dirty INTEGER NOT NULL
		) WITHOUT ROWID;
		CREATE TABLE lease_log (
			id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL, resource TEXT NOT NULL, epoch INTEGER NOT NULL,
			holder TEXT NOT NULL, came_from TEXT NOT NULL, reason TEXT NOT NULL
		)`,
		filled: `INSERT INTO lease VALUES
			('D1', 'ada', 'claim', 7, 1700000000000000000, 1700000001000000000, 1700001801000000000, 1800000000000, 'erase', 0),
			('D2', '', 'implicit', 5, 1700000000000000000, 1700000002000000000, 1700000302000000000, 300000000000, 'terminate', 1),
			('D3', '', 'claim', 3, 0, 0, 0, 0, '', 0);
		INSERT INTO lease_log (at, what, resource, epoch, holder, came_from, reason) VALUES
			(1700000000000000000, 'claimed', 'D2', 5, 'bob', '', ''),
			(1700000002000000000, 'expired', 'D2', 5, '', 'bob', ''),
			(1700000003000000000, 'taken over', 'D1', 7, 'ada', 'cyd', 'cyd is gone')`,
		leases: []lease.Lease{
			{
				Resource: "D1", Holder: "ada", Kind: lease.Claim, Epoch: 7, Since: second(0), Used: second(1), Expires: second(1801),
				TTL: 30 * time.Minute, Reset: "erase",
			},
			{
				Resource: "D2", Kind: lease.Implicit, Epoch: 5, Since: second(0), Used: second(2), Expires: second(302), TTL: 5 * time.Minute,
				Reset: "terminate", Dirty: true,
			},
			{Resource: "D3", Kind: lease.Claim, Epoch: 3},
		},
		log: []lease.Event{
			{At: second(3), What: lease.TakenOver, Lease: lease.Lease{Resource: "D1", Epoch: 7, Holder: "ada"}, From: "cyd", Reason: "cyd is gone"},
			{At: second(2), What: lease.Expired, Lease: lease.Lease{Resource: "D2", Epoch: 5}, From: "bob"},
			{At: second(0), What: lease.Claimed, Lease: lease.Lease{Resource: "D2", Epoch: 5, Holder: "bob"}},
		},
	}
	v2 := file{
		made:   v1.made + ";CREATE TABLE ref_number (session TEXT PRIMARY KEY, reserved INTEGER NOT NULL) WITHOUT ROWID",
		filled: v1.filled + ";INSERT INTO ref_number VALUES ('ada', 2040)",
		leases: v1.leases, log: v1.log,
	}
	v3 := file{
		made: v2.made,
		filled: v2.filled + `;ALTER TABLE lease ADD COLUMN co_drivers TEXT NOT NULL DEFAULT '';
			UPDATE lease SET co_drivers = 'bob' || char(10) || 'cyd' WHERE resource = 'D1'`,
		leases: slices.Clone(v1.leases), log: v1.log,
	}
	v3.leases[0].CoDrivers = "bob\ncyd"
	v4 := file{
		made: v3.made,
		filled: v3.filled + `;ALTER TABLE lease ADD COLUMN claim TEXT NOT NULL DEFAULT '';
			ALTER TABLE lease ADD COLUMN wish TEXT NOT NULL DEFAULT '';
			UPDATE lease SET claim = 'c1', wish = 'w1' WHERE resource = 'D1'`,
		leases: slices.Clone(v3.leases), log: v1.log,
	}
	v4.leases[0].Claim = lease.ClaimID{ID: "c1", Wish: "w1"}
	v5 := file{
		made: v4.made,
		filled: v4.filled + `;CREATE TABLE device_choice (
				id INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, device TEXT NOT NULL, name TEXT NOT NULL
			);
			INSERT INTO device_choice (session, device, name) VALUES ('ada', 'D1', 'iPhone 16'), ('bob', '', 'cat')`,
		leases: v4.leases, log: v1.log,
	}
	return []file{
		{}, // a daemon was killed before it made the first table
		v1, v2, v3, v4, v5,
	}
}

// second is a moment so many seconds after a fixed one.
func second(n int64) time.Time { return time.Unix(1_700_000_000+n, 0).UTC() }

func fileOf(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("state-v%d.db", version))
}

// TestEverySchemaVersionHasTestFile, so that a new migration is tried on a file of before.
func TestEverySchemaVersionHasTestFile(t *testing.T) {
	all := schemas()
	if len(all) != len(statedb.Migrations())+1 {
		t.Fatalf("%d schemas are known, and today's is version %d: add its SQL to schemas and run with -update",
			len(all), len(statedb.Migrations()))
	}
	for version, s := range all {
		if *update {
			write(t, fileOf(version), version, s)
		}
		if _, err := os.Stat(fileOf(version)); err != nil {
			t.Error(err)
		}
	}
}

// write makes a file with the SQL of its time.
func write(t *testing.T, path string, version int, s file) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{s.made, s.filled, fmt.Sprintf("PRAGMA user_version = %d", version), "VACUUM"} {
		if _, err := db.Exec(text); strings.TrimSpace(text) != "" && err != nil {
			t.Fatal(err)
		}
	}
}

// TestEarlierSchemasAreMigrated: today's program reads the files of all earlier ones, and loses nothing.
func TestEarlierSchemasAreMigrated(t *testing.T) {
	for version, want := range schemas() {
		raw, err := os.ReadFile(fileOf(version))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "state.db")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		journal := open(t, path)
		kept, err := journal.Load()
		leases := kept.Leases
		slices.SortFunc(leases, func(a, b lease.Lease) int { return strings.Compare(a.Resource, b.Resource) })
		if err != nil || !slices.Equal(leases, want.leases) {
			t.Errorf("version %d: %+v %v", version, leases, err)
		}
		if log, err := journal.Log("", 100); err != nil || !slices.Equal(log, want.log) {
			t.Errorf("version %d: %+v %v", version, log, err)
		}
		var now int
		err = journal.store.Read(func(db *sql.DB) error { return db.QueryRow("PRAGMA user_version").Scan(&now) })
		if err != nil || now != len(statedb.Migrations()) {
			t.Errorf("version %d is now %d: %v", version, now, err)
		}
		if notice := journal.store.Notice(); notice != "" {
			t.Errorf("version %d: %s", version, notice)
		}
		table := lease.NewTable(lease.Options{Journal: journal})
		got, err := table.Acquire(t.Context(), request("dan", "D9"))
		var highest uint64
		for _, l := range want.leases {
			highest = max(highest, l.Epoch)
		}
		if err != nil || got[0].Epoch <= highest {
			t.Errorf("version %d: it cannot be written to, or epochs begin anew: %v %v", version, got, err)
		}
		table.Close()
	}
}

// TestNewerSchemaIsRefusedUnchanged are there, but cannot be read: that is not the same as none.
func TestNewerSchemaIsRefusedUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	write(t, path, 99, schemas()[1])
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	journal := open(t, path)
	table := lease.NewTable(lease.Options{Journal: journal})
	var unknown *lease.StateError
	if _, err := table.Acquire(t.Context(), request("dan", "D1")); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "version 99") {
		t.Error(err)
	}
	table.Close()
	journal.store.Close()
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
}
