// Package workshop sets up builds and runs of apps inside the test's process. A Workshop has Virtual Xcode's tools over a rig's phone, a
// pool, the build engine and a store of builds. It records every command line. Only tests import it.
package workshop

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/test/fakedevice"
	"ios-agent/test/rig"
)

// Physical is the udid of a phone that is listed, and can do nothing.
const Physical = "00008140-000A61C23E04801C"

// Workshop is a rig with what builds. Its time is Noon.
type Workshop struct {
	*rig.Rig
	Access access.Access
	Deps   builds.Deps
	Tools  apple.Toolchain
	Dir    string
	Swift  host.Main // what the program swift does
	Opens  int       // the exit code of open, which does not start an app here

	t  testing.TB
	mu sync.Mutex
	// ran are the command lines since the last question.
	ran []string
	env map[string]map[string]string // of a tool's last run
}

// Noon is when everything is built.
func Noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

// New opens a workshop; everything ends with the test.
func New(t testing.TB) *Workshop {
	t.Helper()
	w := &Workshop{t: t, Dir: t.TempDir(), env: map[string]map[string]string{}}
	w.Rig = rig.New(t, w.around)
	w.Tools = w.Driver.Tools
	phone := fakedevice.Simulator(Physical, "My Phone", device.Booted)
	phone.Type = device.TypePhysical
	bare := fakedevice.Bare{Is: phone, By: devicectl.Spec().Name}
	other := &fakedevice.Driver{Named: bare.By, Devices: []device.Device{bare}}
	w.Access = fakedevice.Over(t, pool.Options{Drivers: []device.Driver{w.Driver, other}})
	store := telemetry.New(telemetry.Options{Path: filepath.Join(w.Dir, "telemetry.db"), Now: Noon})
	t.Cleanup(func() { w.must(store.Close()) })
	w.Deps = builds.Deps{
		Access: w.Access, Store: store, Now: Noon,
		Engine:   builder.New(builder.Options{Run: w.Driver.Host, Tools: w.Tools, Dir: filepath.Join(w.Dir, "builds")}),
		Packages: swiftpackage.New(swiftpackage.Options{Run: w.Driver.Host, Start: w.Driver.Host, Logs: filepath.Join(w.Dir, "logs")}),
	}
	return w
}

func (w *Workshop) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *Workshop) around(tool string, run host.Main) host.Main {
	switch tool {
	case "swift":
		run = func(ctx context.Context, in host.Invocation) int { return w.Swift(ctx, in) }
	case "open":
		run = func(context.Context, host.Invocation) int { return w.Opens }
	}
	return func(ctx context.Context, in host.Invocation) int {
		w.mu.Lock()
		w.ran, w.env[tool] = append(w.ran, strings.Join(append([]string{tool}, in.Args...), " ")), in.Env
		w.mu.Unlock()
		return run(ctx, in)
	}
}

// Ran are the command lines of a tool, or of all, since the last question about any.
func (w *Workshop) Ran(tool string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ran := w.ran
	w.ran = nil
	return slices.DeleteFunc(ran, func(line string) bool { return tool != "" && !strings.HasPrefix(line, tool+" ") })
}

// Env is the environment of a tool's last run.
func (w *Workshop) Env(tool string) map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.env[tool]
}

// Sample writes one of Virtual Xcode's projects and gives its folder.
func (w *Workshop) Sample(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.Dir, "projects", name)
	if _, err := os.Stat(dir); err != nil { // once
		w.must(virtualxcode.WriteSample(dir, name))
	}
	return dir
}
