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

// TestUpdateMustMatchProgramAndPlatform: an update is our program, for this system and this architecture.
func TestUpdateMustMatchProgramAndPlatform(t *testing.T) {
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

// scratch is a file of ours to copy into.
func scratch(t *testing.T) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// TestUpdateNeedsAChecksum: a file is taken only with its checksum, which the caller gives or a file of checksums that others cannot write.
func TestUpdateNeedsAChecksum(t *testing.T) {
	data := []byte("program")
	for name, c := range map[string]struct {
		sums, given string
		mode        os.FileMode
		want        fault.Code // empty: it is taken
	}{
		"none":                   {want: fault.Forbidden},
		"its own":                {sums: sumOf(data) + "  file\n" + sumOf(nil) + "  other\n"},
		"another":                {sums: sumOf(nil) + "  file\n", want: fault.Forbidden},
		"of another file":        {sums: sumOf(data) + "  other\n", want: fault.Forbidden},
		"that others can write":  {sums: sumOf(data) + "  file\n", mode: 0o666, want: fault.PathError},
		"given":                  {given: strings.ToUpper(sumOf(data))},
		"given, another":         {sums: sumOf(data) + "  file\n", given: sumOf(nil), want: fault.Forbidden},
		"given, not a checksum":  {given: "abc", want: fault.InvalidInput},
		"given, of another kind": {given: strings.Repeat("0", 40), want: fault.InvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			from := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(from, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if sums := filepath.Join(filepath.Dir(from), Sums); c.sums != "" {
				if err := os.WriteFile(sums, []byte(c.sums), 0o600); err != nil {
					t.Fatal(err)
				}
				if c.mode != 0 {
					if err := os.Chmod(sums, c.mode); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := checked(from, c.given, scratch(t))
			if f, ok := fault.In(err); c.want == "" && err != nil || c.want != "" && (!ok || f.Code != c.want || f.Hint == "") {
				t.Errorf("got %v, want %q with a hint", err, c.want)
			}
		})
	}
	for _, from := range []string{filepath.Join(t.TempDir(), "gone"), t.TempDir(), os.DevNull} {
		if err := checked(from, sumOf(nil), scratch(t)); !fault.Is(err, fault.PathError) {
			t.Errorf("%s: got %v, want %s", from, err, fault.PathError)
		}
	}
}

// TestUpdateUsesTheCopyItChecked: what becomes of the file after it was read changes nothing.
func TestUpdateUsesTheCopyItChecked(t *testing.T) {
	from := filepath.Join(t.TempDir(), "file")
	data := packed(t, map[string]string{"x/ios-agent": "program"})
	if err := os.WriteFile(from, data, 0o600); err != nil {
		t.Fatal(err)
	}
	copied := scratch(t)
	if err := checked(from, sumOf(data), copied); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(from, packed(t, map[string]string{"x/ios-agent": "another"}), 0o600); err != nil { // in place
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := unpack(copied, from, &out); err != nil || out.String() != "program" {
		t.Errorf("got %q, %v, want what was checked", out.String(), err)
	}
}

// TestUnpackReadsTarballOrProgram: a program comes out of a tarball, or is one.
func TestUnpackReadsTarballOrProgram(t *testing.T) {
	tarball := packed(t, map[string]string{"x/README.md": "read", "x/ios-agent": "program"})
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"a tarball":        {tarball, ""},
		"a program":        {[]byte("program"), ""},
		"no program in it": {packed(t, map[string]string{"x/README.md": "read"}), "INVALID_INPUT"},
		"cut":              {tarball[:len(tarball)/2], "INVALID_INPUT"},
	} {
		var out bytes.Buffer
		err := unpack(bytes.NewReader(c.data), "file", &out)
		if c.says == "" && (err != nil || out.String() != "program") {
			t.Errorf("%s: got %q, %v, want the program", name, out.String(), err)
		}
		if f, ok := fault.In(err); c.says != "" && (!ok || string(f.Code) != c.says || f.Hint == "") {
			t.Errorf("%s: got %v, want %s", name, err, c.says)
		}
	}
}

// TestUpdateRefusesForeignProgram, and leaves the program and its folder as they are.
func TestUpdateRefusesForeignProgram(t *testing.T) {
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(mine)
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(t.TempDir(), "file")
	data := packed(t, map[string]string{"ios-agent": "#!/bin/sh\n"})
	if err := os.WriteFile(from, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Update(from, sumOf(data)); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want %s", err, fault.InvalidInput)
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
