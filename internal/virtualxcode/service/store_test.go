package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
)

// TestDamagedStateFileIsSetAside damages each file of a world's state in each way: the world opens, has its devices, tells which
// file it was, and keeps that file's content beside the others.
func TestDamagedStateFileIsSetAside(t *testing.T) {
	whole := filled(t)
	entries, err := os.ReadDir(whole)
	if err != nil || len(entries) < 4 {
		t.Fatalf("%v %v", entries, err)
	}
	for _, e := range entries {
		for name, spoil := range map[string]func([]byte) []byte{
			"empty":      func([]byte) []byte { return nil },
			"cut":        func(b []byte) []byte { return b[:len(b)-1] },
			"random":     func(b []byte) []byte { return []byte("\x00\xff\x13 not a state") },
			"other kind": func([]byte) []byte { return []byte(`"a text"`) },
		} {
			t.Run(e.Name()+" "+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "state")
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, e.Name())
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, spoil(raw), 0o600); err != nil {
					t.Fatal(err)
				}
				set(t, dir, path, string(spoil(raw)))
			})
		}
	}
}

// TestFolderInStateCountsAsDamaged: what is no regular file is not read either; a pipe would wait for ever.
func TestFolderInStateCountsAsDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "device-X.json")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := open(dir)
	if err != nil || len(w.Damaged()) != 1 {
		t.Fatal(err)
	}
	w.Close()
}

func open(dir string) (*world.World, error) {
	return world.New(world.Options{Store: service.Files(dir), Clock: world.RequestClock(time.Unix(1e9, 0))})
}

// set opens a world on a damaged state, twice: the second one finds nothing to complain of.
func set(t *testing.T, dir, path, content string) {
	t.Helper()
	w, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSuffix(filepath.Base(path), ".json")
	if d := w.Damaged(); len(d) != 1 || !strings.HasPrefix(d[0], key+": ") || len(w.Devices()) < 5 {
		t.Errorf("%q with %d devices", d, len(w.Devices()))
	}
	for _, d := range w.Devices() {
		if err := w.Boot(t.Context(), d.UDID); err != nil && d.Runtime.Unavailable == "" && d.State != world.Booted {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	w.Close()
	if kept, err := os.ReadFile(path + ".bad"); err != nil || string(kept) != content {
		t.Errorf("%q %v", kept, err)
	}
	again, err := open(dir)
	if err != nil || len(again.Damaged()) > 0 {
		t.Fatal(err)
	}
	again.Close()
}

// filled is the state of a world in which something happened.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	w, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	made, err := w.Create(t.Context(), "Made", "iPhone 16", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, udid := range []string{made, w.Devices()[1].UDID} {
		if err := w.Boot(t.Context(), udid); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
