package self

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"ios-agent/internal/fault"
)

// TestInstall: the program is in the folder, whole, for those who may enter the folder; what is not ours is left alone.
func TestInstall(t *testing.T) {
	for mode, want := range map[os.FileMode]os.FileMode{0o700: 0o700, 0o755: 0o755, 0o775: 0o755} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			placed, err := Install(dir)
			info, statErr := os.Stat(filepath.Join(dir, Name))
			if err != nil || statErr != nil || placed.Changed != (i == 0) || info.Mode().Perm() != want {
				t.Errorf("%v: %+v %v %v", mode, placed, err, info)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("left over: %v %v", entries, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "new", "bin")
	if _, err := Install(dir); err != nil {
		t.Error(err)
	}
	other := filepath.Join(dir, Name)
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(dir); !fault.Is(err, fault.PathError) || !strings.Contains(err.Error(), "is not ios-agent") {
		t.Errorf("over another program: %v", err)
	}
	if raw, err := os.ReadFile(other); err != nil || string(raw) != "#!/bin/sh\n" {
		t.Errorf("%q %v", raw, err)
	}
	if _, err := Install(filepath.Join(other, "bin")); !fault.Is(err, fault.PathError) {
		t.Errorf("below a file: %v", err)
	}
}

// TestSuits: an update is our program, for this system and this architecture.
func TestSuits(t *testing.T) {
	build := func(path, system, arch string) debug.BuildInfo {
		return debug.BuildInfo{Path: path, Settings: []debug.BuildSetting{{Key: "GOOS", Value: system}, {Key: "GOARCH", Value: arch}}}
	}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		says string
	}{
		"ours":               {build(mainPackage, runtime.GOOS, runtime.GOARCH), ""},
		"another program":    {build("example.com/cmd/ios-agent", runtime.GOOS, runtime.GOARCH), "is not ios-agent"},
		"no program":         {debug.BuildInfo{}, "is not ios-agent"},
		"other system":       {build(mainPackage, "plan9", runtime.GOARCH), "is for plan9/"},
		"other architecture": {build(mainPackage, runtime.GOOS, "mips"), "/mips, and this is "},
	} {
		err := suits(c.info, "file")
		if c.says == "" && err != nil || c.says != "" && (!fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnpack: a program comes out of a tarball, or is one; checksums beside it must hold.
func TestUnpack(t *testing.T) {
	tarball := packed(t, map[string]string{"x/README.md": "read", "x/ios-agent": "program"})
	sum := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	for name, c := range map[string]struct {
		data []byte
		sums string
		says string
	}{
		"a tarball":        {tarball, "", ""},
		"with its sum":     {tarball, sum(tarball) + "  file\n" + sum(nil) + "  other\n", ""},
		"a program":        {[]byte("program"), "", ""},
		"another sum":      {tarball, sum(nil) + "  file\n", "FORBIDDEN"},
		"no sum of it":     {tarball, sum(tarball) + "  other\n", "FORBIDDEN"},
		"no program in it": {packed(t, map[string]string{"x/README.md": "read"}), "", "INVALID_INPUT"},
		"cut":              {tarball[:len(tarball)/2], "", "INVALID_INPUT"},
	} {
		t.Run(name, func(t *testing.T) {
			from := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(from, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.sums != "" {
				if err := os.WriteFile(filepath.Join(filepath.Dir(from), Sums), []byte(c.sums), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			err := unpack(from, &out)
			if c.says == "" && (err != nil || out.String() != "program") {
				t.Errorf("%q %v", out.String(), err)
			}
			if f, ok := fault.In(err); c.says != "" && (!ok || string(f.Code) != c.says || f.Hint == "") {
				t.Errorf("%v", err)
			}
		})
	}
	for _, from := range []string{filepath.Join(t.TempDir(), "gone"), t.TempDir(), os.DevNull} {
		if err := unpack(from, &bytes.Buffer{}); !fault.Is(err, fault.PathError) {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// TestUpdateRefusesWhatIsNotOurs, and leaves the program and its folder as they are.
func TestUpdateRefusesWhatIsNotOurs(t *testing.T) {
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(mine)
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(from, packed(t, map[string]string{"ios-agent": "#!/bin/sh\n"}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Update(from); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("%v", err)
	}
	after, err := os.Stat(mine)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the program was touched: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(mine), ".update-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	all := tar.NewWriter(zipped)
	for name, text := range files {
		if err := all.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
