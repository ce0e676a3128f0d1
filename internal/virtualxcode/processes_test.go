package virtualxcode_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/xcodebuild"
)

// serveWord makes this test's own program the virtual service; under a tool's name it plays the tool.
const serveWord = "serve-the-virtual-world"

func TestMain(m *testing.M) {
	tool := filepath.Base(os.Args[0])
	switch {
	case slices.Contains(virtualxcode.Tools(), tool):
		dir, err := virtualxcode.Dir(os.Args[0])
		if err != nil {
			os.Exit(1)
		}
		os.Exit(installation(dir).Main(tool, os.Args[1:]))
	case len(os.Args) == 3 && os.Args[1] == serveWord:
		serve := func() error {
			return installation(os.Args[2]).RunService(context.Background(), slog.New(slog.DiscardHandler))
		}
		if when := os.Getenv(fuseVariable); when != "" {
			serve = func() error { return serveFused(os.Args[2], when) }
		}
		if err := serve(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// scheme is what the agent is called here.
var scheme = xcodebuild.Scheme{Name: "Agent", Port: "PORT", Token: "TOKEN", VariablePrefix: "RUNNER_"}

func installation(dir string) virtualxcode.Xcode {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return virtualxcode.Xcode{Dir: dir, Binary: binary, Serve: []string{serveWord}, Agent: scheme}
}

// rack is a virtual Xcode whose tools are processes.
type rack struct {
	t *testing.T
	virtualxcode.Xcode
}

// newRack mounts one whose time begins at a fixed moment. Its folder is short: sockets have short names.
func newRack(t *testing.T) *rack {
	t.Helper()
	t.Setenv(virtualxcode.TimeVariable, "request@2026-02-03T04:05:06Z")
	dir, err := os.MkdirTemp("", "rack")
	if err != nil {
		t.Fatal(err)
	}
	r := &rack{t, installation(dir)}
	if err := r.Mount(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := resident.Stop(context.Background(), r.Place()); err != nil && !errors.Is(err, resident.ErrNotRunning) {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return r
}

// simctl runs the tool as a process.
func (r *rack) simctl(args ...string) (stdout, stderr string, exit int) {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(r.Bin(), "simctl"), args...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return out.String(), errout.String(), cmd.ProcessState.ExitCode()
}

func (r *rack) ok(args ...string) string {
	r.t.Helper()
	out, errout, exit := r.simctl(args...)
	if exit != 0 {
		r.t.Fatalf("simctl %s: exit %d\n%s", strings.Join(args, " "), exit, errout)
	}
	return out
}
