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

// Variable overrides where the home is.
const Variable = "IOS_AGENT_HOME"

// Home is the folder. Everything in it belongs to the user alone.
type Home string

// Where says where the home is, or will be. It makes nothing and looks at nothing.
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

// Open finds the home and makes it when it is not there. A home that others can write is refused.
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

// Is reports whether a folder is a home in which a daemon of any user ran: ios-agent wrote its files.
func Is(dir string) bool {
	h := Home(dir)
	for _, ours := range []string{h.Versions(), h.Run(), h.KeyFile()} {
		if _, err := os.Lstat(ours); err != nil {
			return false
		}
	}
	return true
}

// check refuses a home that another user made, can write or can replace: we execute the programs in it and believe its state.
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
		private.Close(state), private.Close(state + "-wal"), private.Close(state + "-shm"), // beside it, by SQLite
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

// path joins and never fails: ios-agent chooses the names inside the home.
func (h Home) path(parts ...string) string {
	return filepath.Join(append([]string{string(h)}, parts...)...)
}

// Run is where the daemon's lock, socket and log are.
func (h Home) Run() string { return h.path("run") }

// Children is the registry of the daemon's child processes.
func (h Home) Children() string { return h.path("run", "children") }

// Agent is where the XCTest agent is built: a folder for each pair of sources and Xcode.
func (h Home) Agent() string { return h.path("agent") }

// Versions is where the copies of our builds are.
func (h Home) Versions() string { return h.path("versions") }

// Version is the folder of the copy of one build of ios-agent.
func (h Home) Version(build string) string { return h.path("versions", build) }

// Virtual is the world of Virtual Xcode.
func (h Home) Virtual() string { return h.path("virtual") }

// KeyFile holds the key of the HTTP surface.
func (h Home) KeyFile() string { return h.path("key") }

// StateFile is the daemon's durable state.
func (h Home) StateFile() string { return h.path("state.db") }

// Answers is where the whole of long answers is kept.
func (h Home) Answers() string { return h.path("answers") }

// EpochFile holds a number above all epochs of leases, for the day the state is lost.
func (h Home) EpochFile() string { return h.path("epoch") }

// String is the folder's path.
func (h Home) String() string { return string(h) }
