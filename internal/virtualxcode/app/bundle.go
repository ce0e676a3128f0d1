package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
)

// The relevant files of an .app folder.
const (
	InfoFile = "Info.plist"
	UIFile   = "ui.yaml"
)

// ErrNoBundleID means a missing Info.plist, or an Info.plist without a bundle id.
var ErrNoBundleID = errors.New("missing bundle id")

// Bundle is an app in its folder.
type Bundle struct {
	ID      string // CFBundleIdentifier
	Name    string // the name on the home screen
	Version string // CFBundleShortVersionString
	Build   string // CFBundleVersion
	Folder  string // the folder's name, such as "Shop.app"
	App     *App

	Executable string   // CFBundleExecutable
	Groups     []string // of the app groups it belongs to
	Schemes    []string // of its URL schemes

	Info, UI []byte // the two files, in their original form
}

// Open reads the .app folder at dir.
func Open(dir string) (*Bundle, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("app folder %s: %w", dir, err)
	}
	folder := filepath.Base(abs)
	info, err := regularfile.Read(filepath.Join(abs, InfoFile), maxInfo)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: missing %s", folder, ErrNoBundleID, InfoFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, InfoFile, err)
	}
	ui, err := regularfile.Read(filepath.Join(abs, UIFile), maxSource)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s/%s: %w", folder, UIFile, err)
	}
	return Load(folder, info, ui)
}

const maxInfo = 8 << 20 // maximum size of an Info.plist in bytes

// plain is the ui.yaml of an app without one, such as a new project: it shows the app's name. The name is a variable, because texts may
// have references in braces.
func plain(name string) ([]byte, error) {
	quoted, err := json.Marshal(name) // quoted strings are YAML too
	return fmt.Appendf(nil, "start: first\nstate:\n  name: %s\nscreens:\n  first:\n    title: \"{name}\"\n    elements:\n"+
		"      - text: \"{name}\"\n        id: app-name\n", quoted), err
}

// Load makes a bundle from the contents of its two files. An empty ui makes an app that shows its name.
func Load(folder string, info, ui []byte) (*Bundle, error) {
	var p struct {
		ID      string `plist:"CFBundleIdentifier"`
		Display string `plist:"CFBundleDisplayName"`
		Name    string `plist:"CFBundleName"`
		Version string `plist:"CFBundleShortVersionString"`
		Build   string `plist:"CFBundleVersion"`
	}
	if _, err := plist.Unmarshal(info, &p); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, InfoFile, err)
	}
	if p.ID == "" {
		return nil, fmt.Errorf("%s/%s: %w: missing CFBundleIdentifier", folder, InfoFile, ErrNoBundleID)
	}
	name := cmp.Or(p.Display, p.Name, p.ID)
	if len(ui) == 0 {
		var err error
		if ui, err = plain(name); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, InfoFile, err)
		}
	}
	definition, err := Parse(ui)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, UIFile, err)
	}
	b := &Bundle{ID: p.ID, Name: name, Version: p.Version, Build: p.Build,
		Folder: folder, App: definition, Info: info, UI: ui}
	b.readRest()
	return b, nil
}

// readRest reads optional keys. Like the system it ignores keys with a wrong type.
func (b *Bundle) readRest() {
	var all map[string]any
	_, _ = plist.Unmarshal(b.Info, &all) // already parsed as a dictionary
	program, _ := all["CFBundleExecutable"].(string)
	b.Executable = cmp.Or(program, strings.TrimSuffix(b.Folder, ".app"))
	b.Groups = listed[string](all["com.apple.security.application-groups"])
	for _, t := range listed[map[string]any](all["CFBundleURLTypes"]) {
		b.Schemes = append(b.Schemes, listed[string](t["CFBundleURLSchemes"])...)
	}
}

// listed are the entries of a list that have the right type.
func listed[T any](value any) (entries []T) {
	list, _ := value.([]any)
	for _, entry := range list {
		if e, is := entry.(T); is {
			entries = append(entries, e)
		}
	}
	return entries
}

// Opens reports whether an app declares a URL's scheme.
func (b *Bundle) Opens(scheme string) bool {
	return slices.ContainsFunc(b.Schemes, func(s string) bool { return strings.EqualFold(s, scheme) })
}
