package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/machine/processes"

	"golang.org/x/sys/unix"
)

// Orphan is a child that outlived the process that started it, and that Reap ended.
type Orphan struct {
	PID, PGID int
	Argv0     string
}

// Reap ends, with SIGKILL to their groups, the children that dead owners left in the registry, and clears the entries of ended children. It
// kills a process only if its start time is the recorded one; it leaves alone the entries of living owners and the processes with
// Cmd.EndByStdin. It continues after an error and returns all errors joined.
func (h *Host) Reap() ([]Orphan, error) {
	if h.registry.dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(h.registry.dir, "*"+entrySuffix))
	if err != nil {
		return nil, fmt.Errorf("child registry: %w", err)
	}
	var orphans []Orphan
	var errs []error
	for _, path := range paths {
		e, err := readEntry(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its owner removed it meanwhile
		}
		if err == nil && processes.Alive(e.Owner.PID, e.Owner.Start) {
			continue
		}
		if e.ByStdin && processes.Alive(e.PID, e.Start) {
			continue // it is exiting, and a signal would also end its debugged program
		}
		killed, killErr := e.end()
		if killed {
			orphans = append(orphans, Orphan{PID: e.PID, PGID: e.PGID, Argv0: e.Argv0})
		}
		if killErr == nil {
			err = errors.Join(err, os.Remove(path))
		}
		errs = append(errs, err, killErr)
	}
	return orphans, errors.Join(errs...)
}

func readEntry(path string) (entry, error) {
	var e entry
	b, err := os.ReadFile(path)
	if err != nil {
		return e, fmt.Errorf("child registry: %w", err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return entry{}, fmt.Errorf("child registry: %s: %w", path, err)
	}
	return e, nil
}

// end kills the group of an entry if its leader is the recorded process. A zombie counts: it keeps its id, so the rest
// of its group is surely the recorded one.
func (e entry) end() (killed bool, err error) {
	if e.PID <= 1 || e.PGID <= 1 || e.Start == "" {
		return false, nil
	}
	if now, err := processes.StartTime(e.PID); err != nil || now != e.Start {
		return false, nil
	}
	err = unix.Kill(-e.PGID, unix.SIGKILL)
	if err != nil && !processes.Alive(e.PID, e.Start) {
		return false, nil // it ended meanwhile
	}
	if err != nil {
		return false, fmt.Errorf("kill group %d of %s: %w", e.PGID, e.Argv0, err)
	}
	return true, nil
}
