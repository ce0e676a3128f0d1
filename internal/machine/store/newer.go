package store

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A SQLite file begins with these bytes, and has PRAGMA user_version at this place.
const (
	sqliteMagic   = "SQLite format 3\x00"
	versionOffset = 60
)

// refuseNewer returns a *NewerError for a file of a newer program. It reads the file without SQLite, which writes even to a file that it
// only reads.
func (s *Store) refuseNewer() error {
	version, err := peek(s.o.Path)
	if err != nil { // SQLite will report the problem
		return nil
	}
	if version <= len(s.o.Migrations) {
		return nil
	}
	newer := &NewerError{s.o.Path, version, len(s.o.Migrations)}
	s.setNotice(newer.Error())
	return newer
}

// peek reads the version of a file without changing it. The last writes of a killed program are in the write-ahead log next to the file;
// peek then reads copies of both.
func peek(path string) (int, error) {
	version, err := versionOf(path)
	if err != nil {
		return 0, err
	}
	log, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0 {
		return version, nil
	}
	if err != nil {
		return 0, err
	}
	err = onCopy(path, func(db *sql.DB) error { return db.QueryRow("PRAGMA user_version").Scan(&version) })
	return version, err
}

// versionOf reads the version from the file's first page.
func versionOf(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, versionOffset+4)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, err
	}
	if string(head[:len(sqliteMagic)]) != sqliteMagic {
		return 0, errDamaged
	}
	return int(int32(binary.BigEndian.Uint32(head[versionOffset:]))), nil
}

// onCopy runs fn on a copy of a database and its write-ahead log.
func onCopy(path string, fn func(*sql.DB) error) error {
	dir, err := os.MkdirTemp("", "ios-agent-state-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	whole := filepath.Join(dir, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(path + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(whole+suffix, raw, 0o600); err != nil {
			return err
		}
	}
	db, err := connect(whole)
	if err != nil {
		return err
	}
	defer db.Close()
	return fn(db)
}
