package self

import (
	"debug/buildinfo"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/wholefile"
)

// mainPackage is the Go package of the program; build information of an ios-agent names it.
const mainPackage = "ios-agent/cmd/ios-agent"

// Placed is the path of the installed program.
type Placed struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"` // the file was missing or had other bytes
}

// Install copies the running program into a folder, creates the folder if necessary, and replaces an older ios-agent; it refuses to replace
// another program.
func Install(dir string) (Placed, error) {
	in, err := running()
	if err != nil {
		return Placed{}, err
	}
	defer in.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Placed{}, unwritten(dir, err)
	}
	target := filepath.Join(dir, Name)
	if same, err := isCopy(in, target); err != nil || !same {
		if err := replaceable(target); err != nil {
			return Placed{}, err
		}
	}
	return put(in, target)
}

// running opens the binary of this process.
func running() (*os.File, error) {
	path, err := os.Executable()
	if err == nil {
		var in *os.File
		if in, err = os.Open(path); err == nil {
			return in, nil
		}
	}
	return nil, fault.New(fault.PathError, "the running program: %w", err)
}

// replaceable refuses to replace a file that is not an ios-agent.
func replaceable(target string) error {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.PathError, "%w", err)
	case info.Mode().IsRegular() && ours(read(target)):
		return nil
	}
	return fault.New(fault.PathError, "%s exists and is another program than ios-agent", target).With("file", target).
		WithHint("remove it, or name another folder with %s", hint.Field("to"))
}

// put installs a copy of a program under its name, completely or not at all. All users who can enter the folder can run it.
func put(in *os.File, target string) (Placed, error) {
	out := Placed{Path: target}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return out, fault.New(fault.PathError, "%w", err)
	}
	if same, err := isCopy(in, target); err == nil && same {
		return out, nil
	}
	folder, err := os.Stat(filepath.Dir(target))
	if err != nil {
		return out, unwritten(filepath.Dir(target), err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".install-*")
	if err != nil {
		return out, unwritten(filepath.Dir(target), err)
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Chmod(0o700|folder.Mode().Perm()&0o055)); err != nil {
		return out, unwritten(target, errors.Join(err, f.Close()))
	}
	if err := wholefile.Place(f, target); err != nil {
		return out, unwritten(target, err)
	}
	out.Changed = true
	return out, nil
}

func unwritten(path string, err error) error {
	if f, ok := fault.OfDisk(err); ok {
		return f.Within("installing into " + path)
	}
	return fault.New(fault.PathError, "cannot write %s: %w", path, err).With("file", path).
		WithHint("name a folder that you may write: %s", hint.Command("ios-agent self install --to ~/.local/bin"))
}

// read returns the Go build information of a program; it is empty for a program that is not written in Go.
func read(path string) debug.BuildInfo {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return debug.BuildInfo{}
	}
	return *info
}

// ours reports whether the build information is that of an ios-agent, of any build.
func ours(info debug.BuildInfo) bool { return info.Path == mainPackage }
