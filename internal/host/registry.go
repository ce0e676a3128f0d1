package host

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const entrySuffix = ".json"

// identity is a process that cannot be mistaken for a later one with the same id.
type identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // empty when the kernel would not tell
}

func identify(pid int) identity {
	start, err := StartTime(pid)
	if err != nil {
		start = "" // a sandbox may hide it; such an entry is never acted on
	}
	return identity{PID: pid, Start: start}
}

// entry is the file <dir>/<pid>.json of one live child.
type entry struct {
	identity
	PGID  int      `json:"pgid"`
	Argv0 string   `json:"argv0"`
	Owner identity `json:"owner"`
}

func (h *Host) entryPath(pid int) string {
	return filepath.Join(h.dir, strconv.Itoa(pid)+entrySuffix)
}

// register writes a child's entry before anybody can wait for the child, so its id cannot have been reused yet.
// Between fork and this write there are some microseconds in which our own SIGKILL would leave it unrecorded; nothing
// short of a wrapper program closes that.
func (h *Host) register(p *Process) error {
	if h.dir == "" {
		return nil
	}
	b, err := json.Marshal(entry{identity: identify(p.PID), PGID: p.PID, Argv0: p.exec.Path, Owner: h.owner})
	if err != nil {
		return fmt.Errorf("child registry: %w", err)
	}
	// By rename, so that Reap in another process never reads half an entry.
	half := h.entryPath(p.PID) + ".new"
	if err := os.WriteFile(half, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("child registry: %w", err)
	}
	if err := os.Rename(half, h.entryPath(p.PID)); err != nil {
		return fmt.Errorf("child registry: %w", err)
	}
	return nil
}

func (h *Host) unregister(pid int) {
	if h.dir != "" {
		_ = os.Remove(h.entryPath(pid)) // one that stays is seen as dead by the next Reap
	}
}
