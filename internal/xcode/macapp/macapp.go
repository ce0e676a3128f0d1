// Package macapp opens and ends apps of this Mac, and the app that shows simulators.
package macapp

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// Options are what a Service works with.
type Options struct {
	Run   host.Runner
	Tools apple.Toolchain
}

// Service is safe for concurrent use.
type Service struct{ o Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// How long open may take, and how long an app may take from open's answer to its process.
const (
	openTimeout = 30 * time.Second
	processWait = 2 * time.Second
	endWait     = 5 * time.Second
)

func (s *Service) open(ctx context.Context, args []string) error {
	_, err := s.o.Run.Run(ctx, host.Cmd{Name: s.o.Tools.Tool("open"), Args: args, Timeout: openTimeout})
	return err
}

// Launch says what to open and how.
type Launch struct {
	Path string // of the .app folder
	Args []string
	Env  []string // NAME=VALUE
	// Restart ends a running instance first. Open only brings it to the front: it would keep its old program, arguments and
	// environment.
	Restart bool
	Caller  int // the process of who asks; 0: it is not known
}

// App is an app that was opened.
type App struct {
	Path       string
	Name       string
	BundleID   string // empty when its Info.plist names none
	Restarted  bool   // a running instance was ended first
	executable string
}

// Open opens an app as a double click does; one that runs comes to the front.
func (s *Service) Open(ctx context.Context, l Launch) (App, error) {
	if err := check(l.Path); err != nil {
		return App{}, err
	}
	var args []string
	for _, pair := range l.Env {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" {
			return App{}, fault.New(fault.InvalidInput, "env %q is not NAME=VALUE", pair).With("field", "env")
		}
		args = append(args, "--env", pair)
	}
	args = append(args, l.Path)
	if len(l.Args) > 0 {
		args = append(append(args, "--args"), l.Args...)
	}
	info, _ := appbundle.Read(l.Path) // open takes an app whose Info.plist cannot be read
	app := App{Path: l.Path, Name: strings.TrimSuffix(filepath.Base(l.Path), ".app"), BundleID: info.ID, executable: info.Executable}
	if l.Restart {
		ended, err := s.end(ctx, l.Caller, programs(func(p processes.Program) bool { return p.Path == app.program() }))
		if err != nil {
			return App{}, err
		}
		app.Restarted = len(ended) > 0
	}
	if err := s.open(ctx, args); err != nil {
		return App{}, toolfault.New(err, fault.AppLaunchFailed, "opening "+l.Path)
	}
	return app, nil
}

// check reports a wrong path before open sees it: open shows any folder in the Finder and exits with 0.
func check(app string) error {
	problem := func(format string, args ...any) *fault.Fault {
		return fault.New(fault.PathError, format, args...).With("field", "appPath")
	}
	info, err := os.Stat(app)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return problem("there is no %s", app)
	case err != nil:
		return problem("%w", err)
	case !info.IsDir():
		return problem("%s is not an .app folder", app)
	}
	if _, err := os.Stat(filepath.Join(app, "Contents", "Info.plist")); err == nil {
		return nil
	}
	f := problem("%s is no macOS app: it has no Contents/Info.plist", app)
	if _, err := os.Stat(filepath.Join(app, "Info.plist")); err == nil {
		return f.WithHint("it is an app for devices or simulators: install_app_sim({})")
	}
	return f
}

// Process waits, two seconds at most, until a process runs the app's program, and returns its id; 0 means that there is
// none. Children of it that run the same program, as a shell has them for a moment, are not the app.
func (s *Service) Process(ctx context.Context, app App) int {
	ctx, cancel := context.WithTimeout(ctx, processWait)
	defer cancel()
	path := app.program()
	poll := time.NewTicker(50 * time.Millisecond) // nobody is told when a stranger starts
	defer poll.Stop()
	for {
		found := programs(func(p processes.Program) bool { return p.Path == path })
		for _, p := range found {
			if !slices.ContainsFunc(found, func(o processes.Program) bool { return o.PID == p.Parent }) {
				return p.PID
			}
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return 0
		}
	}
}

// program is the path of what the app executes, as the system tells it of a process.
func (a App) program() string {
	folder := a.Path
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return filepath.Join(folder, "Contents", "MacOS", filepath.Base(cmp.Or(a.executable, a.Name)))
}

func programs(is func(processes.Program) bool) (found []processes.Program) {
	all, err := processes.Programs()
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

// Which names an app that runs: a process, or the exact name of the app.
type Which struct {
	Name   string
	PID    int // wins over Name
	Caller int // the process of who asks; 0: it is not known
}

// Ended is what Stop ended.
type Ended struct {
	Name string
	PIDs []int
}

// Stop ends exactly the app that was named, with SIGTERM. A pattern over command lines, which others use, ends editors and other
// people's programs too, and so does the name of any program: bash is the caller's shell. An error comes with what was ended before it.
func (s *Service) Stop(ctx context.Context, w Which) (Ended, error) {
	w.Name = strings.TrimSuffix(w.Name, ".app")
	found := programs(func(p processes.Program) bool {
		return w.PID != 0 && p.PID == w.PID || w.PID == 0 && appOf(p.Path) != "" && appOf(p.Path) == w.Name
	})
	if len(found) == 0 {
		return Ended{}, notRunning(w)
	}
	if appOf(found[0].Path) == "" {
		return Ended{}, fault.New(fault.Forbidden, "process %d is no app: it runs %s", w.PID, found[0].Path).With("field", "processId").
			WithHint("only what is inside an .app folder is ended here")
	}
	ended, err := s.end(ctx, w.Caller, found)
	return Ended{Name: appOf(found[0].Path), PIDs: ended}, err
}

// end ends processes, and gives those that ended. It ends none when one of them is ours, or started who asks.
func (s *Service) end(ctx context.Context, caller int, found []processes.Program) (ended []int, err error) {
	kept := append(processes.Line(os.Getpid()), processes.Line(caller)...)
	for _, p := range found {
		if slices.Contains(kept, p.PID) {
			return nil, fault.New(fault.Forbidden, "this call comes from %s (process %d), which would end with it", appOf(p.Path), p.PID).
				With("field", "processId").WithHint("quit it yourself")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	for _, p := range found {
		err := processes.End(ctx, p)
		if errors.Is(err, processes.ErrNotOurs) {
			return ended, fault.New(fault.Forbidden, "%w", err).With("field", "processId")
		}
		if err != nil {
			return ended, fault.New(fault.AppTerminate, "%w", err).WithHint("it was asked to leave (SIGTERM) and is left alone now")
		}
		ended = append(ended, p.PID)
	}
	return ended, nil
}

const insideApp = ".app/Contents/MacOS/"

// appOf is the name of the app that a program belongs to; empty outside any app.
func appOf(path string) string {
	if folder, _, inside := strings.Cut(path, insideApp); inside {
		return filepath.Base(folder)
	}
	return ""
}

func notRunning(w Which) error {
	if w.PID != 0 {
		return fault.New(fault.AppNotRunning, "there is no process %d", w.PID).With("field", "processId").
			WithHint("it may have ended by itself; launch_mac_app({}) tells the process of what it launches")
	}
	f := fault.New(fault.AppNotRunning, "no running app is called %q", w.Name).With("field", "appName")
	var names []string
	for _, p := range programs(func(p processes.Program) bool { return appOf(p.Path) != "" }) {
		names = append(names, appOf(p.Path))
	}
	if near := nearest.To(w.Name, names, 3); len(near) > 0 {
		return f.WithHint("did you mean %q?", strings.Join(near, `" or "`))
	}
	return f.WithHint("names are matched exactly, without .app; launch_mac_app({}) tells the process of what it launched")
}

// ShowSimulators opens the app that shows simulators, with the window of one of them if udid is not empty, and returns the
// app's name. It is the one of the Xcode in use: by its name, open may find that of another.
func (s *Service) ShowSimulators(ctx context.Context, udid string) (string, error) {
	r, err := s.o.Run.Run(ctx, host.Cmd{Name: s.o.Tools.Tool("xcode-select"), Args: []string{"-p"}, Timeout: openTimeout})
	if err != nil {
		return "", toolfault.New(err, fault.ToolFailed, "which Xcode is in use is not known")
	}
	developer := strings.TrimSpace(string(r.Stdout))
	for _, app := range apple.SimulatorApps(developer) {
		name := strings.TrimSuffix(filepath.Base(app), ".app")
		args := []string{"-a", app}
		switch {
		case udid == "":
		case name == "Simulator":
			args = append(args, "--args", "-CurrentDeviceUDID", udid)
		default:
			args = append(args, "devices://device/open?id="+url.QueryEscape(udid))
		}
		if err = s.open(ctx, args); err == nil {
			return name, nil
		}
	}
	return "", toolfault.New(err, fault.ToolFailed, "the Xcode at "+developer+" has neither Simulator nor DeviceHub")
}
