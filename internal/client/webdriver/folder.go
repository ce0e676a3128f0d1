package webdriver

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/op"
)

// Folder is what a server has on disk while it runs: pictures on their way, and the devices of its sessions. The next server gives back
// what one that was killed had.
type Folder struct{ path string }

const (
	folderPrefix = "webdriver-"
	ownerFile    = "owner.json"
	leaseSuffix  = ".lease"
	mostNote     = 4 << 10
)

// owner is the process that a folder belongs to.
type owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
	Port  int    `json:"port,omitempty"` // on which it serves
}

// NewFolder makes the folder of a server of this process, below a home.
func NewFolder(home string) (Folder, error) {
	path, err := os.MkdirTemp(home, folderPrefix) // 0700
	if err != nil {
		return Folder{}, fault.New(fault.PathError, "a folder for the server: %w", err)
	}
	if err := (Folder{path}).Serves(0); err != nil {
		return Folder{}, errors.Join(err, os.RemoveAll(path))
	}
	return Folder{path}, nil
}

// Serves notes whose the folder is, and the port on which that process serves; 0 is none yet.
func (f Folder) Serves(port int) error {
	me := owner{PID: os.Getpid(), Port: port}
	me.Start, _ = processes.StartTime(me.PID) // a sandbox may hide it; then the pid alone has to do
	raw, err := json.Marshal(me)
	if err == nil {
		err = wholefile.Write(filepath.Join(f.path, ownerFile), raw)
	}
	if err != nil {
		return fault.New(fault.PathError, "a folder for the server: %w", err)
	}
	return nil
}

// ServedAt reports whether a server of a home that lives serves on a port.
func ServedAt(home string, port int) bool {
	owners, _ := filepath.Glob(filepath.Join(home, folderPrefix+"*", ownerFile)) // the pattern is ours
	return slices.ContainsFunc(owners, func(file string) bool {
		of, err := ownerOf(file)
		return err == nil && port > 0 && of.Port == port && processes.Alive(of.PID, of.Start)
	})
}

func ownerOf(file string) (of owner, err error) {
	raw, err := regularfile.Read(file, mostNote)
	if err == nil {
		err = json.Unmarshal(raw, &of)
	}
	return of, err
}

// Remove removes it.
func (f Folder) Remove() error { return os.RemoveAll(f.path) }

// note writes down that a session has a device. Without a folder there is nothing to write it to.
func (f Folder) note(one *session) error {
	if f.path == "" {
		return nil
	}
	return wholefile.Write(filepath.Join(f.path, one.name+leaseSuffix), []byte(one.udid))
}

// forget removes the note. One that stays is harmless: a device that the session has not is not given back.
func (f Folder) forget(one *session) {
	if f.path != "" {
		_ = os.Remove(filepath.Join(f.path, one.name+leaseSuffix))
	}
}

// GiveBack gives back the devices that servers of a home had which were killed, and removes what they left. A lease that cannot be given
// back, because its device is gone or another's by now, ends by itself.
func GiveBack(ctx context.Context, home string, connect func(session string) (op.Caller, error)) error {
	owners, err := filepath.Glob(filepath.Join(home, folderPrefix+"*", ownerFile))
	if err != nil {
		return fault.New(fault.PathError, "what killed servers left: %w", err)
	}
	for _, file := range owners {
		if of, err := ownerOf(file); err != nil || processes.Alive(of.PID, of.Start) {
			continue
		}
		left := filepath.Dir(file)
		notes, _ := filepath.Glob(filepath.Join(left, "*"+leaseSuffix)) // the pattern is ours
		for _, note := range notes {
			giveBack(ctx, note, connect)
		}
		if err := os.RemoveAll(left); err != nil {
			return fault.New(fault.PathError, "what a killed server left: %w", err)
		}
	}
	return nil
}

func giveBack(ctx context.Context, note string, connect func(session string) (op.Caller, error)) {
	udid, err := regularfile.Read(note, mostNote)
	if err != nil {
		return
	}
	one := &session{name: strings.TrimSuffix(filepath.Base(note), leaseSuffix), udid: string(udid)}
	if one.caller, err = connect(one.name); err == nil {
		_ = one.release(ctx)
	}
}
