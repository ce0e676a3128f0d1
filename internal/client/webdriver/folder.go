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

// Folder holds a running server's files: temporary pictures, and the devices of its sessions. If the server is killed, the next one gives
// these devices back.
type Folder struct{ path string }

const (
	folderPrefix = "webdriver-"
	ownerFile    = "owner.json"
	leaseSuffix  = ".lease"
	mostNote     = 4 << 10
)

// owner is the process of a folder.
type owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
	Port  int    `json:"port,omitempty"` // of its server
}

// NewFolder creates the folder of a server in this process, below a home.
func NewFolder(home string) (Folder, error) {
	path, err := os.MkdirTemp(home, folderPrefix) // 0700
	if err != nil {
		return Folder{}, fault.New(fault.PathError, "cannot create a folder for the server: %w", err)
	}
	if err := (Folder{path}).Serves(0); err != nil {
		return Folder{}, errors.Join(err, os.RemoveAll(path))
	}
	return Folder{path}, nil
}

// Serves records the process of the folder, and the port of its server; 0 if it has none yet.
func (f Folder) Serves(port int) error {
	me := owner{PID: os.Getpid(), Port: port}
	me.Start, _ = processes.StartTime(me.PID) // a sandbox may hide it; then only the pid is compared
	raw, err := json.Marshal(me)
	if err == nil {
		err = wholefile.Write(filepath.Join(f.path, ownerFile), raw)
	}
	if err != nil {
		return fault.New(fault.PathError, "cannot write to the server's folder: %w", err)
	}
	return nil
}

// ServedAt reports whether a running server of a home uses a port.
func ServedAt(home string, port int) bool {
	owners, _ := filepath.Glob(filepath.Join(home, folderPrefix+"*", ownerFile)) // our own pattern is valid
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

// Remove removes the folder.
func (f Folder) Remove() error { return os.RemoveAll(f.path) }

// note records that a session has a device. Without a folder it does nothing.
func (f Folder) note(one *session) error {
	if f.path == "" {
		return nil
	}
	return wholefile.Write(filepath.Join(f.path, one.name+leaseSuffix), []byte(one.udid))
}

// forget removes the record. A remaining record is harmless: only devices with a lease are given back.
func (f Folder) forget(one *session) {
	if f.path != "" {
		_ = os.Remove(filepath.Join(f.path, one.name+leaseSuffix))
	}
}

// GiveBack gives back the devices of killed servers of a home, and removes their folders. A lease that cannot be given back, because its
// device is gone or has another holder, ends by itself.
func GiveBack(ctx context.Context, home string, connect func(session string) (op.Caller, error)) error {
	owners, err := filepath.Glob(filepath.Join(home, folderPrefix+"*", ownerFile))
	if err != nil {
		return fault.New(fault.PathError, "cannot clean up after killed servers: %w", err)
	}
	for _, file := range owners {
		if of, err := ownerOf(file); err != nil || processes.Alive(of.PID, of.Start) {
			continue
		}
		left := filepath.Dir(file)
		notes, _ := filepath.Glob(filepath.Join(left, "*"+leaseSuffix)) // our own pattern is valid
		for _, note := range notes {
			giveBack(ctx, note, connect)
		}
		if err := os.RemoveAll(left); err != nil {
			return fault.New(fault.PathError, "cannot clean up after a killed server: %w", err)
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
