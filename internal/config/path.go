package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// folders has the context for reading values: relative paths belong to a folder, and the keys' names to the table.
type folders struct {
	project string // "" for a session without a project
	home    string
	keys    Table
}

// resolve makes a path absolute. It resolves a relative path against the project folder, never against the daemon's working directory.
func (f folders) resolve(path string) (string, error) {
	path, err := unwrapURL(strings.TrimSpace(path))
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if f.home == "" {
			return "", errors.New("~ stands for a home folder, and none is known")
		}
		path = filepath.Join(f.home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if f.project == "" {
		return "", fmt.Errorf("%q is relative, and this session has no project folder: give an absolute path", path)
	}
	return filepath.Join(f.project, path), nil
}

func unwrapURL(path string) (string, error) {
	if !strings.HasPrefix(strings.ToLower(path), "file:") {
		return path, nil
	}
	u, err := url.Parse(path)
	if err != nil {
		return "", fmt.Errorf("%q is not a file url", path)
	}
	if u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%q names another machine", path)
	}
	if u.Opaque != "" {
		return url.PathUnescape(u.Opaque)
	}
	return u.Path, nil
}

// portable returns a path for a file that other people share: relative inside the project, with ~ inside the home.
func (f folders) portable(path string) string {
	if rel, ok := inside(f.project, path); ok {
		if strings.HasPrefix(rel, "~") || strings.HasPrefix(strings.ToLower(rel), "file:") {
			return "./" + rel
		}
		return rel
	}
	if rel, ok := inside(f.home, path); ok {
		return "~/" + rel
	}
	return path
}

func inside(folder, path string) (string, bool) {
	if folder == "" {
		return "", false
	}
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
