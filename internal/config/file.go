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

// All that this package reads and writes on disk is in this file.

// The places of the config file in a project folder. XcodeBuildMCP's file has the same keys, and is used where the project has no file of
// ios-agent.
const (
	ourConfig   = ".ios-agent/config.yaml"
	theirConfig = ".xcodebuildmcp/config.yaml"
)

// ConfigPath is where the config file of a project folder is, whether it exists or not.
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

// Folder finds the project folder of a client that works in cwd: cwd itself when it has a config file, else the git
// top level around it, else cwd.
func Folder(cwd string) string {
	if _, err := os.Stat(ConfigPath(cwd)); err == nil {
		return cwd
	}
	return GitTop(cwd)
}

// GitTop is the top level of the git work tree around dir, or dir itself. It looks for .git and runs nothing: a work
// tree's is a file.
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

// allows is what the user allowed the file to name.
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

// state is the file at one moment. Equal states mean the same.
type state struct {
	text    string
	known   bool   // it is there
	allowed string // what the user allowed it to name, a line each
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

// read gives the file's text; a file that is not there is fs.ErrNotExist.
func (f file) read() (string, error) {
	if f.dir == "" {
		return "", fs.ErrNotExist
	}
	text, err := docfile.Read(f.dir, configIn(f.dir), docfile.MostYAML)
	return string(text), err
}

// write replaces the file in one step. Readable to all, as the rest of the project is.
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
