// Package rig sets up one virtual simulator and our driver on it, inside the test's process. Virtual Xcode's tools are functions, time
// passes only as requests demand, and no program is executed. Only tests import it; a test about processes belongs in test/script.
package rig

import (
	"errors"
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
)

// The apps that are installed.
const (
	Shop        = "com.iosagent.shop"
	Conformance = "com.iosagent.conformance"
)

// Rig is a booted iPhone 16. Its methods end the test when they fail.
type Rig struct {
	World   *virtualxcode.World
	Service virtualxcode.Client // of the virtual tools: its faults and chaos
	Driver  *xctest.Driver
	Info    device.Info
	Phone   device.Device

	t testing.TB
}

// sources is what the agent is built of; it is the same all the time.
var sources = sync.OnceValues(agentsource.Build)

// Around puts a test between the driver and one of Apple's tools.
type Around func(tool string, run host.Main) host.Main

// New makes a world of its own and boots the phone. Everything ends with the test.
func New(t testing.TB, around ...Around) *Rig {
	t.Helper()
	dir := Dir(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	xcode, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{
		Dir: dir, Agent: Scheme(),
		Time: "request@" + time.Now().UTC().Format(time.RFC3339), // crash reports are looked for by the time of their file
	})
	must(err)
	t.Cleanup(func() { must(xcode.Close()) })
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children"), Inside: func(name string) host.Main {
		run := xcode.Program(name)
		for _, wrap := range around {
			run = wrap(filepath.Base(name), run)
		}
		return run
	}})
	must(err)
	tools := apple.Toolchain{Name: apple.Virtual, Reports: xcode.Reports()}
	return Over(t, Parts{World: xcode.World(), Service: xcode.Client(), Host: runner, Tools: tools, Dir: dir})
}

// Scheme is what the production code calls its agent: neither side of a process boundary may know the other.
func Scheme() virtualxcode.Scheme {
	return virtualxcode.Scheme{
		Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
		PublicOnly: xcodebuild.PublicVariable, VariablePrefix: xcodebuild.RunnerPrefix,
	}
}

// Dir is a folder with a short name, as a socket's path must be; it goes with the test.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rig")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Parts are what a rig stands on.
type Parts struct {
	World   *virtualxcode.World // nil when it is in another process
	Service virtualxcode.Client
	Host    *host.Host // the rig closes it
	Tools   apple.Toolchain
	Dir     string // for the agent
}

// Over is a rig whose tools were mounted by the test, as programs for instance.
func Over(t testing.TB, p Parts) *Rig {
	t.Helper()
	r := &Rig{World: p.World, Service: p.Service, t: t}
	t.Cleanup(func() { r.In(t).Must(errors.Join(r.Driver.Kit.Close(), p.Host.Close())) })
	id, err := sources()
	r.Must(err)
	r.Driver = &xctest.Driver{
		Host: p.Host, Tools: p.Tools, Start: xctest.Start{Greeting: greeting},
		Kit: &xctest.Kit{Host: p.Host, Tools: p.Tools, Root: filepath.Join(p.Dir, "agent"), ID: id, Write: agentsource.WriteProject},
	}
	infos, err := r.Driver.List(t.Context())
	r.Must(err)
	r.Info = infos[slices.IndexFunc(infos, func(i device.Info) bool { return i.Name == "iPhone 16" })]
	r.Open()
	t.Cleanup(func() { r.Phone.Close() })
	return r
}

// greeting is how long an agent that hangs is waited for; an agent in this process greets at once.
const greeting = 300 * time.Millisecond

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

// Open ends the phone's agent, if it has one, and returns the phone in its initial state, booted and without faults.
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
	_, err := r.Phone.(device.Apps).Install(r.t.Context(), App(r.t, bundle, ui))
	r.Must(err)
}

// App writes an app that is described as ui.yaml files are, and gives its folder.
func App(t testing.TB, bundle, ui string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.TrimPrefix(filepath.Ext(bundle), ".")+".app")
	plist := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + bundle + `</string></dict></plist>`
	for _, err := range []error{
		os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "Info.plist"), []byte(plist), 0o600),
		os.WriteFile(filepath.Join(dir, "ui.yaml"), []byte(ui), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
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
