package xctest_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
)

// serveWord makes this test's own program the virtual service; under a tool's name it plays the tool.
const serveWord = "serve-the-virtual-world"

// environment is what the programs get: time that passes on request, and no second of waiting at the end of a program that
// was built with the race detector.
var environment = map[string]string{virtualxcode.TimeVariable: "request", "GORACE": "atexit_sleep_ms=0"}

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
		if err := installation(os.Args[2]).RunService(context.Background(), slog.New(slog.DiscardHandler)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	for name, value := range environment {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

func installation(dir string) virtualxcode.Xcode {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return virtualxcode.Xcode{Dir: dir, Binary: binary, Serve: []string{serveWord}, Agent: rig.Scheme()}
}

// newPrograms is a rig whose tools, service and agent are programs of their own.
func newPrograms(t *testing.T) *rig.Rig {
	t.Helper()
	dir := rig.Dir(t)
	x := installation(filepath.Join(dir, "v"))
	if err := x.Mount(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := resident.Stop(context.Background(), x.Place()); err != nil {
			t.Error(err)
		}
	})
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children")})
	if err != nil {
		t.Fatal(err)
	}
	return rig.Over(t, rig.Parts{
		Service: x.Client(), Host: runner, Tools: apple.Toolchain{Name: apple.Virtual, Bin: x.Bin(), Reports: x.Reports()}, Dir: dir,
	})
}
