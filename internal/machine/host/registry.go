package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"ios-agent/internal/machine/processes"
)

const entrySuffix = ".json"

// identity identifies a process, also among later processes with the same pid.
type identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // empty when the kernel does not allow reading it
}

func identify(pid int) identity {
	start, err := processes.StartTime(pid)
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
	// ByStdin is Cmd.EndByStdin: the owner's death ended the program's input, and that makes the program exit.
	ByStdin bool `json:"end_by_stdin,omitempty"`
}

// registry is the folder of the entries; without a folder it records nothing.
type registry struct {
	dir   string
	owner identity
}

func openRegistry(dir string) (registry, error) {
	if dir == "" {
		return registry{}, nil
	}
	dir, err := makeFolder(dir)
	if err != nil {
		return registry{}, fmt.Errorf("child registry: %w", err)
	}
	return registry{dir: dir, owner: identify(os.Getpid())}, nil
}

// makeFolder makes a folder with mode 0700 and returns its absolute path, which stays valid when the working directory changes.
func makeFolder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return abs, os.MkdirAll(abs, 0o700)
}

func (r registry) path(pid int) string { return filepath.Join(r.dir, strconv.Itoa(pid)+entrySuffix) }

// register writes a child's entry before the child can be waited for, so its id cannot have been reused yet. If this process is killed in
// the microseconds between fork and this write, the child is not recorded; only a wrapper program could change that.
func (r registry) register(pid int, argv0 string, byStdin bool) error {
	if r.dir == "" {
		return nil
	}
	b, err := json.Marshal(entry{identity: identify(pid), PGID: pid, Argv0: argv0, Owner: r.owner, ByStdin: byStdin})
	if err != nil {
		return fmt.Errorf("child registry: %w", err)
	}
	// A rename, so that Reap in another process never reads half an entry.
	half := r.path(pid) + ".new"
	err = os.WriteFile(half, append(b, '\n'), 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the home was deleted while we run
		if _, err = makeFolder(r.dir); err == nil {
			err = os.WriteFile(half, append(b, '\n'), 0o600)
		}
	}
	if err == nil {
		err = os.Rename(half, r.path(pid))
	}
	if err != nil {
		_ = os.Remove(half)
		return fmt.Errorf("child registry: %w", err)
	}
	return nil
}

func (r registry) unregister(pid int) {
	if r.dir != "" {
		_ = os.Remove(r.path(pid)) // if removing fails, the next Reap finds a dead process
	}
}
