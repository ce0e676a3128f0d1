// Command release builds the program for both systems and both architectures: a tarball for each, and their checksums. The same commit
// gives the same bytes on any machine.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/self"
)

func main() {
	out := flag.String("out", "dist", "the folder to write to")
	version := flag.String("version", "", "the version (default: what git says)")
	flag.Parse()
	if err := ship(context.Background(), *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func ship(ctx context.Context, out, version string) error {
	tools, err := newTools()
	if err != nil {
		return err
	}
	return shipped(ctx, tools, out, version).make(ctx)
}

// tools runs go and git, with the whole environment: whoever builds has set it up for that.
type tools struct{ *host.Host }

func newTools() (tools, error) {
	h, err := host.New(host.Options{Inherit: []string{"*"}})
	return tools{h}, err
}

// release is what to build, and how.
type release struct {
	tools   tools
	out     string
	version string
	time    time.Time // of every file in a tarball
	targets []target
	flags   []string // of go build
	env     []string
}

type target struct{ system, arch string }

func (t target) name() string { return self.Name + "_" + t.system + "_" + t.arch }

// shipped is the release that people get: without the C library, so that it runs on any system of its kind, and without the folders
// of whoever built it.
func shipped(ctx context.Context, t tools, out, version string) release {
	r := release{
		tools: t, out: out, version: version, time: time.Unix(0, 0).UTC(), flags: []string{"-trimpath"},
		env:     []string{"CGO_ENABLED=0", "GOFLAGS="},
		targets: []target{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}},
	}
	if r.version == "" {
		r.version = t.line(ctx, "git", "describe", "--tags", "--always", "--dirty")
	}
	if seconds, err := strconv.ParseInt(t.line(ctx, "git", "log", "-1", "--format=%ct"), 10, 64); err == nil {
		r.time = time.Unix(seconds, 0).UTC()
	}
	return r
}

// line is what a program says, or nothing where it has nothing to say.
func (t tools) line(ctx context.Context, name string, args ...string) string {
	r, err := t.Run(ctx, host.Cmd{Name: name, Args: args})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(r.Stdout))
}

func (r release) make(ctx context.Context) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range r.targets {
		program, err := r.build(ctx, t)
		if err != nil {
			return err
		}
		tarball, err := r.pack(ctx, t, program)
		if err != nil {
			return err
		}
		file := t.name() + ".tar.gz"
		if err := os.WriteFile(filepath.Join(r.out, file), tarball, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(tarball), file)
		fmt.Printf("%s  %d MB  %s\n", filepath.Join(r.out, file), len(tarball)>>20, r.version)
	}
	return os.WriteFile(filepath.Join(r.out, self.Sums), []byte(sums.String()), 0o644)
}

// buildTime is how long one build may take, on a machine that has compiled nothing yet.
const buildTime = 30 * time.Minute

// build gives the program. It is never left in the tree.
func (r release) build(ctx context.Context, t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ios-agent-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, self.Name)
	args := append([]string{"build", "-buildvcs=false", "-ldflags", "-s -w -X main.stamped=" + r.version, "-o", file}, r.flags...)
	said, err := r.tools.Run(ctx, host.Cmd{
		Name: "go", Args: append(args, "ios-agent/cmd/ios-agent"), Timeout: buildTime,
		Env: append(slices.Clone(r.env), "GOOS="+t.system, "GOARCH="+t.arch),
	})
	if err != nil {
		return nil, fmt.Errorf("building for %s: %w\n%s", t.name(), err, said.Stderr)
	}
	return os.ReadFile(file)
}

// pack puts the program into a tarball, beside what its user should read.
func (r release) pack(ctx context.Context, t target, program []byte) ([]byte, error) {
	root := r.tools.line(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out) // its header has no time
	files := tar.NewWriter(zipped)
	add := func(name string, mode int64, data []byte) error {
		h := &tar.Header{Name: t.name() + "/" + name, Mode: mode, Size: int64(len(data)), ModTime: r.time, Format: tar.FormatUSTAR}
		if err := files.WriteHeader(h); err != nil {
			return err
		}
		_, err := files.Write(data)
		return err
	}
	if err := add(self.Name, 0o755, program); err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		if err := add(name, 0o644, data); err != nil {
			return nil, err
		}
	}
	if err := files.Close(); err != nil {
		return nil, err
	}
	err := zipped.Close()
	return out.Bytes(), err
}
