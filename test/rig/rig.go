// Package rig is one virtual simulator and our driver on it, inside the test's process: Virtual Xcode's tools are functions,
// time passes only as requests ask for it, and nothing is executed. Only tests import it; a test that is about processes
// belongs into test/script.
package rig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/world"
)

// The apps that are installed.
const (
	Shop        = "com.iosagent.shop"
	Conformance = "com.iosagent.conformance"
)

// Rig is a booted iPhone 16. Its methods end the test when they fail.
type Rig struct {
	World   *world.World
	Service virtualxcode.Client // of the virtual tools: its faults and chaos
	Driver  *xctest.Driver
	Info    device.Info
	Phone   device.Device

	t testing.TB
}

// sources is what the agent is built of; it is the same all the time.
var sources = sync.OnceValues(agentsource.Build)

// Scheme is what the production code calls its agent: neither side of a process boundary may know the other.
func Scheme() virtualxcode.Scheme {
	return virtualxcode.Scheme{
		Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
		VariablePrefix: xcodebuild.RunnerPrefix,
	}
}

// New makes a world of its own and boots the phone. Everything ends with the test.
func New(t testing.TB) *Rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "rig") // short: a socket's name must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &Rig{t: t}
	// crash reports are looked for by the time of their file: time begins now
	xcode, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{
		Dir: dir, Agent: Scheme(), Time: "request@" + time.Now().UTC().Format(time.RFC3339),
	})
	r.Must(err)
	t.Cleanup(func() { r.Must(xcode.Close()) })
	r.World, r.Service = xcode.World(), xcode.Client()
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children"), Inside: xcode.Program})
	r.Must(err)
	t.Cleanup(func() { r.Must(runner.Close()) })
	id, err := sources()
	r.Must(err)
	r.Must(os.Mkdir(filepath.Join(dir, "state"), 0o700))
	names := apple.Toolchain{Name: apple.Virtual, Reports: xcode.Reports()}
	r.Driver = &xctest.Driver{
		Host: runner, Tools: names, State: filepath.Join(dir, "state"),
		Kit: &xctest.Kit{Host: runner, Tools: names, Root: filepath.Join(dir, "agent"), ID: id, Write: agentsource.WriteProject},
	}
	infos, err := r.Driver.List(t.Context())
	r.Must(err)
	r.Info = infos[slices.IndexFunc(infos, func(i device.Info) bool { return i.Name == "iPhone 16" })]
	r.Open()
	t.Cleanup(func() { r.Phone.Close() })
	return r
}

// Must ends the test when there is an error.
func (r *Rig) Must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// In makes a rig that several subtests share report to one of them.
func (r *Rig) In(t testing.TB) *Rig {
	r.t = t
	return r
}

// Open ends the phone's agent, if it has one, and gives the phone anew, booted and without faults.
func (r *Rig) Open() {
	r.t.Helper()
	if r.Phone != nil {
		r.Must(r.Phone.Close())
	}
	r.Calm()
	r.Phone = r.Driver.Open(r.Info)
	r.Must(r.Phone.(device.Power).Boot(r.t.Context()))
}

// Launch starts an app afresh.
func (r *Rig) Launch(bundle string) {
	r.t.Helper()
	_, err := r.Phone.(device.Apps).Launch(r.t.Context(), bundle, device.Launch{Restart: true})
	r.Must(err)
}

// Install puts an app on the phone that is described as ui.yaml files are.
func (r *Rig) Install(bundle, ui string) {
	r.t.Helper()
	dir := filepath.Join(r.t.TempDir(), strings.TrimPrefix(filepath.Ext(bundle), ".")+".app")
	r.Must(os.Mkdir(dir, 0o700))
	plist := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + bundle + `</string></dict></plist>`
	r.Must(os.WriteFile(filepath.Join(dir, "Info.plist"), []byte(plist), 0o600))
	r.Must(os.WriteFile(filepath.Join(dir, "ui.yaml"), []byte(ui), 0o600))
	_, err := r.Phone.(device.Apps).Install(r.t.Context(), dir)
	r.Must(err)
}

// Fault lets something go wrong the next time.
func (r *Rig) Fault(f virtualxcode.Fault) {
	r.t.Helper()
	r.Must(r.Service.AddFault(r.t.Context(), f))
}

// Calm takes back the faults that did not happen yet.
func (r *Rig) Calm() {
	r.t.Helper()
	r.Must(r.Service.ClearFaults(r.t.Context(), ""))
}
