package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// macApps are XcodeBuildMCP's tools for apps of the Mac itself.
type macApps struct{ parts Parts }

func (m *macApps) ops() []op.Op {
	groups := []string{inMac}
	return []op.Op{
		op.New(op.Spec{
			Name: "launch_mac_app", Family: xcode, Groups: groups, Verb: "launch-mac-app", Route: "POST /api/v1/xcode/launch_mac_app", Timeout: time.Minute,
			Summary: "Launch a macOS app; one that runs comes to the front", Examples: []string{"launch-mac-app ./Notes.app"},
		}, m.launch),
		op.New(op.Spec{
			Name: "stop_mac_app", Family: xcode, Groups: groups, Verb: "stop-mac-app", Route: "POST /api/v1/xcode/stop_mac_app", Timeout: time.Minute,
			Summary: "End a macOS app by its name or its process", Require: [][]string{{"appName", "processId"}},
			Examples: []string{"stop-mac-app --app-name Notes", "stop-mac-app --process-id 4211"},
		}, m.stop),
	}
}

// LaunchMacIn names the app.
type LaunchMacIn struct {
	App  op.Path  `json:"appPath" doc:"path of the .app folder" cli:"arg"`
	Args []string `json:"args,omitempty" doc:"arguments for the app"`
}

// MacAppOut is an app of the Mac and what became of it.
type MacAppOut struct {
	Message   string   `json:"message"`
	App       string   `json:"appPath,omitempty"`
	Name      string   `json:"appName,omitempty"`
	Bundle    string   `json:"bundleId,omitempty"`
	Process   int      `json:"processId,omitempty"`
	Ended     []int    `json:"ended,omitempty"` // processes
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text says it, and what usually follows.
func (o MacAppOut) Text() string { return andNext(o.Message, o.NextSteps) }

func (m *macApps) launch(ctx context.Context, c *op.Call, in LaunchMacIn) (MacAppOut, error) {
	app := string(in.App)
	if err := mustBeMacApp(app); err != nil {
		return MacAppOut{}, err
	}
	args := []string{app}
	if len(in.Args) > 0 {
		args = append(append(args, "--args"), in.Args...)
	}
	if _, err := m.parts.Run.Run(ctx, host.Cmd{Name: m.parts.Tools.Tool("open"), Args: args, Timeout: 30 * time.Second}); err != nil {
		return MacAppOut{}, toolFault(err, fault.AppLaunchFailed, "opening "+app)
	}
	name := strings.TrimSuffix(filepath.Base(app), ".app")
	info, _ := appbundle.Read(app) // an app that names no bundle id was launched all the same
	out := MacAppOut{Message: "launched " + name, App: app, Name: name, Bundle: info.ID}
	if p, found := awaitProgram(ctx, app, info.Executable); found {
		out.Process = p.PID
		out.Message += fmt.Sprintf(" (process %d)", p.PID)
		out.NextSteps = []string{nextCall("stop_mac_app", "processId", p.PID)}
	} else {
		out.Message += "; its process was not found: it may have ended by itself"
	}
	return out, nil
}

// mustBeMacApp tells a wrong path before open sees it: open shows any folder in the Finder and calls that a success.
func mustBeMacApp(app string) error {
	if err := mustBeFolder(app, "appPath", "an .app folder"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(app, "Contents", "Info.plist")); err == nil {
		return nil
	}
	f := fault.New(fault.PathError, "%s is no macOS app: it has no Contents/Info.plist", app).With("field", "appPath")
	if _, err := os.Stat(filepath.Join(app, "Info.plist")); err == nil {
		return f.WithHint("it is an app for devices or simulators: install_app_sim")
	}
	return f
}

// launchWait is how long an app may take from open's answer to its process.
const launchWait = 2 * time.Second

// awaitProgram waits until a process runs the app's program. Children of it that run the same, as a shell has them for a
// moment, are not the app.
func awaitProgram(ctx context.Context, app, executable string) (host.Program, bool) {
	ctx, cancel := context.WithTimeout(ctx, launchWait)
	defer cancel()
	if real, err := filepath.EvalSymlinks(app); err == nil {
		app = real
	}
	path := filepath.Join(app, "Contents", "MacOS", filepath.Base(cmp.Or(executable, strings.TrimSuffix(filepath.Base(app), ".app"))))
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		found := programs(func(p host.Program) bool { return p.Path == path })
		for _, p := range found {
			if !slices.ContainsFunc(found, func(o host.Program) bool { return o.PID == p.Parent }) {
				return p, true
			}
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return host.Program{}, false
		}
	}
}

func programs(is func(host.Program) bool) (found []host.Program) {
	all, err := host.Programs()
	if err != nil {
		return nil
	}
	for _, p := range all {
		if p.PID != os.Getpid() && is(p) {
			found = append(found, p)
		}
	}
	return found
}

// StopMacIn names the app or its process.
type StopMacIn struct {
	Name    string `json:"appName,omitempty" doc:"the app's name, exactly, such as Notes"`
	Process int    `json:"processId,omitempty" doc:"the process" min:"2"`
}

// stop ends exactly what was named. A pattern over command lines, which others use, ends editors and strangers too.
func (m *macApps) stop(ctx context.Context, _ *op.Call, in StopMacIn) (MacAppOut, error) {
	name := strings.TrimSuffix(in.Name, ".app")
	found := programs(func(p host.Program) bool {
		return in.Process != 0 && p.PID == in.Process || in.Process == 0 && appOf(p.Path) == name
	})
	if len(found) == 0 {
		return MacAppOut{}, notRunning(in, name)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out := MacAppOut{Name: name, Process: in.Process}
	for _, p := range found {
		err := host.End(ctx, p)
		if errors.Is(err, host.ErrNotOurs) {
			return out, fault.New(fault.Forbidden, "%w", err).With("field", "processId")
		}
		if err != nil {
			return out, fault.New(fault.AppTerminate, "%w", err).WithHint("it was asked to leave (SIGTERM) and is left alone now")
		}
		out.Ended = append(out.Ended, p.PID)
	}
	out.Message = fmt.Sprintf("ended %s (process %s)", appOf(found[0].Path), strings.Trim(fmt.Sprint(out.Ended), "[]"))
	return out, nil
}

// appOf is the name of the app that a program belongs to; of a program outside any app, its own.
func appOf(path string) string {
	if folder, _, inside := strings.Cut(path, ".app/Contents/MacOS/"); inside {
		return filepath.Base(folder)
	}
	return filepath.Base(path)
}

func notRunning(in StopMacIn, name string) error {
	if in.Process != 0 {
		return fault.New(fault.AppNotRunning, "there is no process %d", in.Process).With("field", "processId").
			WithHint("it may have ended by itself; launch_mac_app tells the process of what it launches")
	}
	f := fault.New(fault.AppNotRunning, "no running app is called %q", name).With("field", "appName")
	var names []string
	for _, p := range programs(func(p host.Program) bool { return strings.Contains(p.Path, ".app/Contents/MacOS/") }) {
		names = append(names, appOf(p.Path))
	}
	if near := nearest.To(name, names, 3); len(near) > 0 {
		return f.WithHint("did you mean %q?", strings.Join(near, `" or "`))
	}
	return f.WithHint("names are matched exactly, without .app; launch_mac_app tells the process of what it launched")
}
