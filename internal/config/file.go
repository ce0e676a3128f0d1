package config

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// This file has all reading and writing on disk of this package.

// The paths of the config file in a project folder. XcodeBuildMCP's file has the same keys; the package uses it where the project has no
// file of ios-agent.
const (
	ourConfig   = ".ios-agent/config.yaml"
	theirConfig = ".xcodebuildmcp/config.yaml"
)

// ConfigPath returns the path of the config file of a project folder, whether the file exists or not.
func ConfigPath(folder string) string { return filepath.Join(folder, configIn(folder)) }

func configIn(folder string) string {
	if !isThere(folder, ourConfig) && isThere(folder, theirConfig) {
		return theirConfig
	}
	return ourConfig
}

func isThere(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// Folder finds the project folder of a client that works in cwd: cwd itself if it has a config file, otherwise the git top level around it,
// otherwise cwd.
func Folder(cwd string) string {
	if _, err := os.Stat(ConfigPath(cwd)); err == nil {
		return cwd
	}
	return GitTop(cwd)
}

// GitTop returns the top level of the git work tree around dir, or dir itself. It looks for .git, which may be a file (in a linked work
// tree), and runs no program.
func GitTop(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// file is the config file of a project folder; without a folder it is empty.
type file struct {
	dir     string
	allowed func(project string) []string // may be nil
}

// allows returns the names that the user allows the file to contain.
func (f file) allows() []string {
	if f.dir == "" || f.allowed == nil {
		return nil
	}
	return f.allowed(f.dir)
}

func (f file) path() string {
	if f.dir == "" {
		return ""
	}
	return ConfigPath(f.dir)
}

// state is the content of the file at one moment. Equal states have equal values.
type state struct {
	text    string
	known   bool   // it exists
	allowed string // the names that the user allows it to contain, one per line
	failure string // why it cannot be read
}

func (f file) state() state {
	text, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return state{}
	}
	if err != nil {
		return state{known: true, failure: err.Error()}
	}
	return state{text: text, known: true, allowed: strings.Join(f.allows(), "\n")}
}

// read returns the file's text; the error for a missing file is fs.ErrNotExist.
func (f file) read() (string, error) {
	if f.dir == "" {
		return "", fs.ErrNotExist
	}
	text, err := docfile.Read(f.dir, configIn(f.dir), docfile.MostYAML)
	return string(text), err
}

// write replaces the file in one step. All users can read it, like the rest of the project.
func (f file) write(text string) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := configIn(f.dir)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temporary := name + "." + rand.Text()
	if err := writeSynced(root, temporary, text); err != nil {
		_ = root.Remove(temporary)
		return err
	}
	if err := root.Rename(temporary, name); err != nil {
		_ = root.Remove(temporary)
		return err
	}
	return nil
}

func writeSynced(root *os.Root, name, text string) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = out.WriteString(text)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
