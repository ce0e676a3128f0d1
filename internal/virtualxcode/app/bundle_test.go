package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/app"
)

// writeApp makes an .app folder of the files given.
func writeApp(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Test.app")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func info(t *testing.T, format int, values map[string]any) []byte {
	t.Helper()
	data, err := plist.Marshal(values, format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOpenReadsXMLAndBinaryPlists(t *testing.T) {
	values := map[string]any{"CFBundleIdentifier": "com.example.test", "CFBundleName": "Test", "CFBundleShortVersionString": "2.1"}
	for name, format := range map[string]int{"xml": plist.XMLFormat, "binary": plist.BinaryFormat} {
		t.Run(name, func(t *testing.T) {
			dir := writeApp(t, map[string][]byte{app.InfoFile: info(t, format, values), app.UIFile: []byte(whole)})
			b, err := app.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if b.ID != "com.example.test" || b.Name != "Test" || b.Version != "2.1" || b.Folder != "Test.app" {
				t.Errorf("bundle is %+v", b)
			}
		})
	}
}

// TestAppWithoutScreensShowsItsName: what a build made runs, whatever the app is called.
func TestAppWithoutScreensShowsItsName(t *testing.T) {
	const name = `My {odd}: "app" #1`
	b, err := app.Open(writeApp(t, map[string][]byte{
		app.InfoFile: info(t, plist.XMLFormat, map[string]any{"CFBundleIdentifier": "com.example.test", "CFBundleDisplayName": name}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if title := b.App.Screens[b.App.Start].Title.Expand(b.App.State); title != name {
		t.Errorf("it shows %q", title)
	}
}

func TestOpenNamesTheMissingFileOrKey(t *testing.T) {
	named := info(t, plist.XMLFormat, map[string]any{"CFBundleIdentifier": "com.example.test"})
	nameless := info(t, plist.XMLFormat, map[string]any{"CFBundleName": "Test"})
	for name, c := range map[string]struct {
		files map[string][]byte
		is    error
		want  string
	}{
		"no plist":     {map[string][]byte{app.UIFile: []byte(whole)}, app.ErrNoBundleID, "missing Info.plist"},
		"no id":        {map[string][]byte{app.InfoFile: nameless, app.UIFile: []byte(whole)}, app.ErrNoBundleID, "CFBundleIdentifier"},
		"broken plist": {map[string][]byte{app.InfoFile: []byte("<plist"), app.UIFile: []byte(whole)}, nil, "Test.app/Info.plist"},
		"broken ui": {map[string][]byte{app.InfoFile: named, app.UIFile: []byte("x: 1")}, nil,
			`Test.app/ui.yaml: line 1: unknown key "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := app.Open(writeApp(t, c.files))
			if err == nil || !strings.Contains(err.Error(), c.want) || (c.is != nil && !errors.Is(err, c.is)) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// TestOpenRefusesIrregularFiles: an app that somebody else made can hold a link to a device, which never ends, or a pipe, which
// nobody writes to.
func TestOpenRefusesIrregularFiles(t *testing.T) {
	named := info(t, plist.XMLFormat, map[string]any{"CFBundleIdentifier": "com.example.test"})
	for name, put := range map[string]func(path string) error{
		"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a pipe": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+"x", 0o600), os.Symlink(path+"x", path))
		},
		"a device":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"a folder":    func(path string) error { return os.Mkdir(path, 0o700) },
		"a huge file": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 64<<30)) },
	} {
		for _, file := range []string{app.InfoFile, app.UIFile} {
			t.Run(name+" as "+file, func(t *testing.T) {
				files := map[string][]byte{app.InfoFile: named, app.UIFile: []byte(whole)}
				delete(files, file)
				dir := writeApp(t, files)
				if err := put(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
				if _, err := app.Open(dir); err == nil || !strings.Contains(err.Error(), "Test.app/"+file) {
					t.Errorf("Open = %v, want an error that names %s", err, file)
				}
			})
		}
	}
}

// TestInvalidInfoPlistKeyKeepsOthers: a key that is not as it should be takes nothing from the others.
func TestInvalidInfoPlistKeyKeepsOthers(t *testing.T) {
	schemes := []any{
		map[string]any{"CFBundleURLSchemes": 7}, "no dictionary", map[string]any{"CFBundleURLSchemes": []any{"shop", "Shop-Beta"}},
	}
	for _, c := range []struct {
		name       string
		values     map[string]any
		executable string
		groups     []string
		opens      bool
	}{
		{"nothing", map[string]any{}, "Test", nil, false},
		{"all", map[string]any{
			"CFBundleExecutable": "Run", "com.apple.security.application-groups": []any{"group.a", "group.b"}, "CFBundleURLTypes": schemes,
		}, "Run", []string{"group.a", "group.b"}, true},
		{"groups that are a text", map[string]any{
			"CFBundleExecutable": "Run", "com.apple.security.application-groups": "group.a", "CFBundleURLTypes": schemes,
		}, "Run", nil, true},
		{"a program that is a list", map[string]any{"CFBundleExecutable": []any{"Run"}, "CFBundleURLTypes": schemes}, "Test", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.values["CFBundleIdentifier"] = "com.example.test"
			b, err := app.Load("Test.app", info(t, plist.XMLFormat, c.values), nil)
			if err != nil {
				t.Fatal(err)
			}
			if b.Executable != c.executable || !slices.Equal(b.Groups, c.groups) || b.Opens("SHOP-beta") != c.opens || b.Opens("http") {
				t.Errorf("program %s, groups %q, schemes %q", b.Executable, b.Groups, b.Schemes)
			}
		})
	}
}
