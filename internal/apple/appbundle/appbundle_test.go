package appbundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/docfile"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	app := filepath.Join(t.TempDir(), "A b'$(x).app")
	if err := os.MkdirAll(filepath.Dir(filepath.Join(app, path)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(app, path), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return app
}

const good = `<?xml version="1.0" encoding="UTF-8"?>` +
	`<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.a.b</string></dict></plist>`

func TestIDReadsBundleIDFromInfoPlist(t *testing.T) {
	for _, place := range []string{"Info.plist", "Contents/Info.plist"} {
		if id, err := ID(write(t, place, good)); id != "com.a.b" || err != nil {
			t.Errorf("%s: %q, %v", place, id, err)
		}
	}
	for name, c := range map[string]struct{ place, content, says string }{
		"no plist":    {"x", "", "it has no Info.plist"},
		"empty plist": {"Info.plist", "", "names no CFBundleIdentifier"},
		"no id":       {"Info.plist", `<plist version="1.0"><dict/></plist>`, "names no CFBundleIdentifier"},
		"no dict":     {"Info.plist", `<plist version="1.0"><array/></plist>`, "is not a property list that can be read"},
	} {
		_, err := ID(write(t, c.place, c.content))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		var content *InfoError
		if is := errors.As(err, &content); is != (c.place == "Info.plist") {
			t.Errorf("%s: an InfoError is %v", name, is)
		}
	}
	if _, err := ID(filepath.Join(t.TempDir(), "gone.app")); err == nil || !strings.Contains(err.Error(), "no app at") {
		t.Error(err)
	}
}

// TestIDRefusesNamedPipeAsInfoPlist: an app whose Info.plist is a named pipe is refused, and nobody waits for the pipe's other end.
func TestIDRefusesNamedPipeAsInfoPlist(t *testing.T) {
	app := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(app, "Info.plist"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ID(app); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v, want that it is not a regular file", err)
	}
}

// TestIDRefusesDeeplyNestedPlist: the decoder calls itself for each level, and an exceeded stack cannot be recovered from: 8 MB of brackets
// ended the daemon.
func TestIDRefusesDeeplyNestedPlist(t *testing.T) {
	const large = 8 << 20
	for name, text := range map[string]string{
		"xml":        `<plist version="1.0">` + strings.Repeat("<array>", large/8),
		"text":       strings.Repeat("(", large),
		"small xml":  `<plist version="1.0">` + strings.Repeat("<array>", docfile.MostPlist/8),
		"small text": strings.Repeat("(", docfile.MostPlist),
	} {
		var content *InfoError
		if _, err := ID(write(t, "Info.plist", text)); !errors.As(err, &content) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadDetectsMacApp(t *testing.T) {
	for place, want := range map[string]bool{"Info.plist": false, "Contents/Info.plist": true} {
		if info, err := Read(write(t, place, good)); info.Mac != want || err != nil {
			t.Errorf("%s: %+v, %v", place, info, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("bplist00"))
	f.Add([]byte("{a = b;"))
	f.Fuzz(func(_ *testing.T, raw []byte) { decode("Info.plist", raw, nil) })
}

// TestIDRefusesSymlinkedInfoPlist: an app cannot make another file its Info.plist, nor have it quoted.
func TestIDRefusesSymlinkedInfoPlist(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	app := t.TempDir()
	if err := os.Symlink(key, filepath.Join(app, "Info.plist")); err != nil {
		t.Fatal(err)
	}
	var content *InfoError
	if id, err := ID(app); id != "" || !errors.As(err, &content) || strings.Contains(err.Error(), "com.a.b") {
		t.Errorf("%q, %v", id, err)
	}
}
