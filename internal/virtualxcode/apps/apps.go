// Package apps holds the built-in apps of Virtual Xcode as .app folders. Builtin reads them for a world; Write copies them into a
// folder.
package apps

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ios-agent/internal/virtualxcode/app"
)

//go:embed *.app
var folders embed.FS

// Builtin returns every built-in app. The apps are read once, because a test process has hundreds of worlds; worlds do not change them.
func Builtin() ([]*app.Bundle, error) {
	bundles, err := builtin()
	return slices.Clone(bundles), err
}

var builtin = sync.OnceValues(read)

func read() ([]*app.Bundle, error) {
	entries, err := folders.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("built-in apps: %w", err)
	}
	var bundles []*app.Bundle
	for _, e := range entries {
		info, infoErr := folders.ReadFile(e.Name() + "/" + app.InfoFile)
		ui, uiErr := folders.ReadFile(e.Name() + "/" + app.UIFile)
		if err := errors.Join(infoErr, uiErr); err != nil {
			return nil, fmt.Errorf("built-in app: %w", err)
		}
		b, err := app.Load(e.Name(), info, ui)
		if err != nil {
			return nil, fmt.Errorf("built-in app: %w", err)
		}
		bundles = append(bundles, b)
	}
	return bundles, nil
}

// Write copies the .app folders of all built-in apps into dir. It creates dir if needed and overwrites existing files.
func Write(dir string) error {
	return fs.WalkDir(folders, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("built-in app file %s: %w", path, err)
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := folders.ReadFile(path)
		if err != nil {
			return fmt.Errorf("built-in app file %s: %w", path, err)
		}
		return os.WriteFile(target, content, 0o644)
	})
}
