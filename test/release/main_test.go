package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/self"
)

// TestReleaseBuildIsReproducible: a tarball has the program with its version, and the checksum of its file; built again, it has the same
// bytes.
func TestReleaseBuildIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("it links the program twice")
	}
	tools, err := newTools()
	if err != nil {
		t.Fatal(err)
	}
	here := target{runtime.GOOS, runtime.GOARCH}
	made := func() (dir string, tarball []byte) {
		dir = filepath.Join(t.TempDir(), "dist")
		// As the rest of the tests build it: else all of it would be compiled once more.
		r := release{tools: tools, out: dir, version: "v1.2.3-test", time: time.Unix(1700000000, 0), targets: []target{here}}
		if err := r.make(t.Context()); err != nil {
			t.Fatal(err)
		}
		tarball, err := os.ReadFile(filepath.Join(dir, here.name()+".tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		return dir, tarball
	}
	dir, tarball := made()
	sums, err := os.ReadFile(filepath.Join(dir, self.Sums))
	if want := fmt.Sprintf("%x  %s.tar.gz\n", sha256.Sum256(tarball), here.name()); err != nil || string(sums) != want {
		t.Errorf("%s is %q, want %q: %v", self.Sums, sums, want, err)
	}
	if _, again := made(); !bytes.Equal(tarball, again) {
		t.Error("the same source gave other bytes")
	}
	files := unpacked(t, tarball)
	program := files[here.name()+"/"+self.Name]
	if len(files) != 3 || !strings.Contains(string(files[here.name()+"/README.md"]), "ios-agent") || len(files[here.name()+"/LICENSE"]) == 0 {
		t.Errorf("%d files", len(files))
	}
	path := filepath.Join(t.TempDir(), self.Name)
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(path, "--version").CombinedOutput(); err != nil || !strings.Contains(string(said), "v1.2.3-test") {
		t.Errorf("--version: %s %v", said, err)
	}
}

// TestReleaseCoversBothSystemsAndArchitectures: both systems and architectures, static, and without the folders of this machine.
func TestReleaseCoversBothSystemsAndArchitectures(t *testing.T) {
	tools, err := newTools()
	if err != nil {
		t.Fatal(err)
	}
	r := shipped(t.Context(), tools, "dist", "v1")
	var names []string
	for _, one := range r.targets {
		names = append(names, one.name())
	}
	if !slices.Equal(names, []string{"ios-agent_darwin_amd64", "ios-agent_darwin_arm64", "ios-agent_linux_amd64", "ios-agent_linux_arm64"}) ||
		!slices.Contains(r.env, "CGO_ENABLED=0") || !slices.Contains(r.flags, "-trimpath") {
		t.Errorf("%+v", r)
	}
	ignored, err := os.ReadFile("../../.gitignore")
	if err != nil || !strings.Contains(string(ignored), "/dist/\n") {
		t.Errorf("dist is not ignored: %v", err)
	}
}

func unpacked(t *testing.T, tarball []byte) map[string][]byte {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for in := tar.NewReader(plain); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		runs := strings.HasSuffix(h.Name, "/"+self.Name)
		if h.Uid != 0 || h.Uname != "" || (h.Mode == 0o755) != runs || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%+v", h)
		}
	}
}
