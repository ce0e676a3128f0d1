// Package home locates and checks the folder with ios-agent's state: ~/.ios-agent, or the folder that IOS_AGENT_HOME names. Open creates
// the folder if it is missing and returns a Home, whose methods give the path of each file in it. A home is private: Open refuses a folder
// that another user made, can write or can replace, because ios-agent runs programs from it.
package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/private"
)

// Variable is the environment variable with the path of the home, instead of ~/.ios-agent.
const Variable = "IOS_AGENT_HOME"

// Home is the path of the folder. It belongs to the user, and no other user can write in it.
type Home string

// Where returns the path of the home, which may not exist yet. It does not touch the disk.
func Where() (Home, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fault.New(fault.PathError, "cannot find the home folder: %w", err).WithHint("set %s", Variable)
		}
		dir = filepath.Join(user, ".ios-agent")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fault.New(fault.PathError, "%s: %w", Variable, err)
	}
	return Home(dir), nil
}

// Open returns the home and creates it if it is missing. It refuses a home that other users can write.
func Open() (Home, error) {
	h, err := Where()
	if err != nil {
		return "", err
	}
	dir := h.String()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unusable(dir, err)
	}
	return h, h.check()
}

// Is reports whether a folder is a home in which a daemon of any user has run: it then contains files of ios-agent.
func Is(dir string) bool {
	h := Home(dir)
	for _, ours := range []string{h.Versions(), h.Run(), h.KeyFile()} {
		if _, err := os.Lstat(ours); err != nil {
			return false
		}
	}
	return true
}

// check refuses a home that another user made, can write or can replace: we execute programs from it and trust its state.
func (h Home) check() error {
	var unsafe *private.UnsafeError
	err := private.Folder(h.String())
	if err == nil {
		err = private.Above(h.String())
	}
	if errors.As(err, &unsafe) {
		return fault.During("the ios-agent home", err).WithHint("%s; or set %s to a folder of your own", unsafe.Mend, Variable)
	}
	state := h.StateFile()
	for _, err := range []error{
		err, private.Folder(h.Versions()), private.Folder(h.Run()), private.Folder(h.Virtual()), private.Folder(h.path("secrets")),
		private.Close(state), private.Close(state + "-wal"), private.Close(state + "-shm"), // SQLite makes these beside it
	} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unusable(h.String(), err)
		}
	}
	return nil
}

func unusable(dir string, err error) error {
	if os.IsPermission(err) {
		return fault.New(fault.Sandboxed, "the ios-agent home %s cannot be written: %w", dir, err).
			WithHint("allow this sandbox to write %s, or set %s to a folder it may write", dir, Variable)
	}
	if f, ok := fault.In(err); ok {
		return f.Within("the ios-agent home")
	}
	return fault.New(fault.PathError, "the ios-agent home: %w", err)
}

// path joins the parts to the home. It needs no checks, because ios-agent chooses the names in the home.
func (h Home) path(parts ...string) string {
	return filepath.Join(append([]string{string(h)}, parts...)...)
}

// Run is the folder of the daemon's lock, socket and log.
func (h Home) Run() string { return h.path("run") }

// Children is the registry of the daemon's child processes.
func (h Home) Children() string { return h.path("run", "children") }

// Agent is the folder of the built XCTest agents: a folder for each pair of sources and Xcode.
func (h Home) Agent() string { return h.path("agent") }

// Versions is the folder of the copies of our builds.
func (h Home) Versions() string { return h.path("versions") }

// Version is the folder of the copy of one build of ios-agent.
func (h Home) Version(build string) string { return h.path("versions", build) }

// Virtual is the folder of Virtual Xcode's world.
func (h Home) Virtual() string { return h.path("virtual") }

// KeyFile holds the key of the HTTP surface.
func (h Home) KeyFile() string { return h.path("key") }

// StateFile is the database of the daemon's durable state.
func (h Home) StateFile() string { return h.path("state.db") }

// Answers is the folder of the whole texts of answers that were cut.
func (h Home) Answers() string { return h.path("answers") }

// EpochFile contains a number above all epochs of leases, for the case that the state is lost.
func (h Home) EpochFile() string { return h.path("epoch") }

// String is the folder's path.
func (h Home) String() string { return string(h) }
