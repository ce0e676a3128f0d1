// Package macapp opens and ends apps of this Mac, and opens the app that shows simulators. Its type is Service, with Open and Stop. It must
// end only the app that the caller names, never a process by a pattern.
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
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// Options are the dependencies of a Service.
type Options struct {
	Run   host.Runner
	Tools apple.Toolchain
}

// Service is safe for concurrent use.
type Service struct{ o Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// The time limits of open, and of the start of an app's process after it.
const (
	openTimeout = 30 * time.Second
	processWait = 2 * time.Second
	endWait     = 5 * time.Second
)

func (s *Service) open(ctx context.Context, args []string) error {
	_, err := s.o.Run.Run(ctx, host.Cmd{Name: s.o.Tools.Tool("open"), Args: args, Timeout: openTimeout})
	return err
}

// Launch is an app to open, with its options.
type Launch struct {
	Path string // of the .app folder
	Args []string
	Env  []string // NAME=VALUE
	// Restart ends a running instance first. Without it, a running instance comes to the front, with its old program, arguments and
	// environment.
	Restart bool
	Caller  int // process of the client; 0: unknown
}

// App is an opened app.
type App struct {
	Path       string
	Name       string
	BundleID   string // empty if the Info.plist lacks it
	Restarted  bool   // a running instance was ended first
	executable string
}

// Open opens an app as a double click does; a running app comes to the front.
func (s *Service) Open(ctx context.Context, l Launch) (App, error) {
	if err := check(l.Path); err != nil {
		return App{}, err
	}
	var args []string
	for _, pair := range l.Env {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" {
			return App{}, fault.New(fault.InvalidInput, "env %q must be NAME=VALUE", pair).With("field", "env")
		}
		args = append(args, "--env", pair)
	}
	args = append(args, l.Path)
	if len(l.Args) > 0 {
		args = append(append(args, "--args"), l.Args...)
	}
	info, _ := appbundle.Read(l.Path) // open accepts an app without a readable Info.plist
	app := App{Path: l.Path, Name: strings.TrimSuffix(filepath.Base(l.Path), ".app"), BundleID: info.ID, executable: info.Executable}
	if l.Restart {
		ended, err := s.end(ctx, l.Caller, programs(func(p processes.Program) bool { return p.Path == app.program() }))
		if err != nil {
			return App{}, err
		}
		app.Restarted = len(ended) > 0
	}
	if err := s.open(ctx, args); err != nil {
		return App{}, toolfault.New(err, fault.AppLaunchFailed, "cannot open "+l.Path)
	}
	return app, nil
}

// check refuses a wrong path: open shows any folder in the Finder and exits with 0.
func check(app string) error {
	problem := func(format string, args ...any) *fault.Fault {
		return fault.New(fault.PathError, format, args...).With("field", "appPath")
	}
	info, err := os.Stat(app)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return problem("%s does not exist", app)
	case err != nil:
		return problem("%w", err)
	case !info.IsDir():
		return problem("%s is not an .app folder", app)
	}
	if _, err := os.Stat(filepath.Join(app, "Contents", "Info.plist")); err == nil {
		return nil
	}
	f := problem("%s must be a macOS app: it has no Contents/Info.plist", app)
	if _, err := os.Stat(filepath.Join(app, "Info.plist")); err == nil {
		return f.WithHint("install the app on a simulator: %s", hint.Do("install_app_sim", "appPath", app))
	}
	return f
}

// Process waits up to two seconds for a process of the app's program, and returns its id, or 0. It ignores children that run the same
// program, as a shell forks them for a moment.
func (s *Service) Process(ctx context.Context, app App) int {
	ctx, cancel := context.WithTimeout(ctx, processWait)
	defer cancel()
	path := app.program()
	poll := time.NewTicker(50 * time.Millisecond) // the system has no event for the start of another program
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

// program is the path of the app's executable, in the notation of the system's process list.
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

// Which names a running app: by its process, or by its exact name.
type Which struct {
	Name   string
	PID    int // has priority over Name
	Caller int // process of the client; 0: unknown
}

// Ended is the result of Stop.
type Ended struct {
	Name string
	PIDs []int
}

// Stop ends exactly the named app, with SIGTERM. A pattern over command lines, as other tools use it, would also end editors and unrelated
// programs, and so would the name of any program: bash is the caller's shell. With an error, Ended has the processes that ended before.
func (s *Service) Stop(ctx context.Context, w Which) (Ended, error) {
	w.Name = strings.TrimSuffix(w.Name, ".app")
	found := programs(func(p processes.Program) bool {
		return w.PID != 0 && p.PID == w.PID || w.PID == 0 && appOf(p.Path) != "" && appOf(p.Path) == w.Name
	})
	if len(found) == 0 {
		return Ended{}, notRunning(w)
	}
	if appOf(found[0].Path) == "" {
		return Ended{}, fault.New(fault.Forbidden, "process %d must be an app, but runs %s", w.PID, found[0].Path).With("field", "processId").
			WithHint("name a process whose program is inside an .app bundle")
	}
	ended, err := s.end(ctx, w.Caller, found)
	return Ended{Name: appOf(found[0].Path), PIDs: ended}, err
}

// end ends processes, and gives the ended ones. It refuses all of them if one is this daemon or an ancestor of the client.
func (s *Service) end(ctx context.Context, caller int, found []processes.Program) (ended []int, err error) {
	kept := append(processes.Line(os.Getpid()), processes.Line(caller)...)
	for _, p := range found {
		if slices.Contains(kept, p.PID) {
			return nil, fault.New(fault.Forbidden, "this call comes from %s (process %d), which would end with it", appOf(p.Path), p.PID).
				With("field", "processId").WithHint("quit the app yourself")
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
			return ended, fault.New(fault.AppTerminate, "%w", err).WithHint("quit the app yourself: it ignored SIGTERM")
		}
		ended = append(ended, p.PID)
	}
	return ended, nil
}

const insideApp = ".app/Contents/MacOS/"

// appOf is the name of the app that contains a program; empty for other programs.
func appOf(path string) string {
	if folder, _, inside := strings.Cut(path, insideApp); inside {
		return filepath.Base(folder)
	}
	return ""
}

func notRunning(w Which) error {
	if w.PID != 0 {
		return fault.New(fault.AppNotRunning, "unknown process %d", w.PID).With("field", "processId").
			WithHint("%s launches an app and shows its process", launch())
	}
	f := fault.New(fault.AppNotRunning, "no running app is named %q", w.Name).With("field", "appName")
	var names []string
	for _, p := range programs(func(p processes.Program) bool { return appOf(p.Path) != "" }) {
		names = append(names, appOf(p.Path))
	}
	if near := nearest.To(w.Name, names, 3); len(near) > 0 {
		return f.WithHint("did you mean %q?", strings.Join(near, `" or "`))
	}
	return f.WithHint("give the exact name, without .app; %s launches an app and shows its process", launch())
}

// launch is the fact of the call that launches an app.
func launch() string { return hint.Do("launch_mac_app", "appPath", "PATH_TO_YOUR_APP") }

// ShowSimulators opens the app that shows simulators, with the window of one simulator if udid is not empty, and returns the app's name.
// It opens the app of the Xcode in use by its path: by the name, open may find another Xcode's.
func (s *Service) ShowSimulators(ctx context.Context, udid string) (string, error) {
	r, err := s.o.Run.Run(ctx, host.Cmd{Name: s.o.Tools.Tool("xcode-select"), Args: []string{"-p"}, Timeout: openTimeout})
	if err != nil {
		return "", toolfault.New(err, fault.ToolFailed, "cannot find the Xcode in use")
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
