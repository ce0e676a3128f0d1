package devicectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// The maximum time of each command, also for a device that is asleep or behind a slow network.
const (
	ListTimeout      = 60 * time.Second
	InfoTimeout      = time.Minute
	InstallTimeout   = 10 * time.Minute
	UninstallTimeout = 2 * time.Minute
	LaunchTimeout    = 2 * time.Minute
	TerminateTimeout = time.Minute
)

// Tool runs devicectl. Its methods are safe for concurrent use if Run is. A device is named by its identifier, udid, serial number or name.
//
// Errors: devicectl's own refusal is a *Refusal (and a *host.ExitError); other errors come from host.Run.
type Tool struct {
	Run   host.Runner
	Xcrun string   // path or name of xcrun; empty means "xcrun"
	Env   []string // merged over ours, for example DEVELOPER_DIR=…
}

// Refusal is the error that devicectl wrote to its document.
type Refusal struct {
	Command string
	Reason  *Error
	exit    error
}

// mostReasons is the maximum length of the chain of reasons; real chains have three.
const mostReasons = 8

// Error joins the reason and its underlying reasons.
func (r *Refusal) Error() string {
	parts := []string{"devicectl " + r.Command}
	for e, depth := r.Reason, 0; e != nil && depth < mostReasons; e, depth = e.Underlying(), depth+1 {
		parts = append(parts, e.Message())
		for _, key := range []string{"NSLocalizedFailureReason", "NSLocalizedRecoverySuggestion"} {
			if s := e.UserInfo[key].String; s != "" {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, ": ")
}

// Has reports whether the reason or an underlying one has this domain and code.
func (r *Refusal) Has(domain string, code int) bool {
	for e, depth := r.Reason, 0; e != nil && depth < mostReasons; e, depth = e.Underlying(), depth+1 {
		if e.Domain == domain && e.Code == code {
			return true
		}
	}
	return false
}

// Unwrap returns how the program ended.
func (r *Refusal) Unwrap() error { return r.exit }

// do runs a command and reads the document that it writes to a file; its printed text is for people.
func (t Tool) do(ctx context.Context, limit time.Duration, name string, before, after []string) (*Output, error) {
	dir, err := os.MkdirTemp("", "devicectl-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("devicectl %s: %w", name, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "answer.json")
	c := t.cmd(append(append(before, "--json-output", file), after...))
	c.Timeout, c.Outputs = limit, []string{file}
	_, ran := t.Run.Run(ctx, c)
	out, err := readFile(file)
	var exit *host.ExitError
	switch {
	case ran == nil && err != nil:
		return nil, fmt.Errorf("devicectl %s: %w", name, err)
	case ran == nil:
		return out, nil
	case errors.As(ran, &exit) && err == nil && out.Error != nil:
		return out, &Refusal{name, out.Error, ran}
	}
	return nil, fmt.Errorf("devicectl %s: %w", name, ran)
}

func readFile(file string) (*Output, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Read(data)
}

func (t Tool) cmd(args []string) host.Cmd {
	name := t.Xcrun
	if name == "" {
		name = "xcrun"
	}
	return host.Cmd{Name: name, Args: append([]string{"devicectl"}, args...), Env: t.Env}
}

// words refuses words that devicectl would read as options.
func words(name string, all ...string) error {
	for _, w := range all {
		if w == "" || strings.HasPrefix(w, "-") {
			return fmt.Errorf("devicectl %s: %q is neither a device, an app nor a path", name, w)
		}
	}
	return nil
}

// List lists the devices that this Mac knows, including unreachable ones.
func (t Tool) List(ctx context.Context) ([]Device, error) {
	out, err := t.do(ctx, ListTimeout, "list devices", []string{"list", "devices"}, nil)
	if err != nil {
		return nil, err
	}
	if out.Result == nil {
		return nil, errors.New("devicectl list devices: no result in the answer")
	}
	devices := make([]Device, len(out.Result.Devices))
	for i, d := range out.Result.Devices {
		devices[i] = d.Known()
	}
	return devices, nil
}

// Apps lists the apps on a device: the one with the bundle id, or all if it is empty.
func (t Tool) Apps(ctx context.Context, device, bundle string) ([]App, error) {
	const name = "device info apps"
	which, named := []string{"--include-all-apps"}, []string{device}
	if bundle != "" {
		which, named = []string{"--bundle-id", bundle}, []string{device, bundle}
	}
	if err := words(name, named...); err != nil {
		return nil, err
	}
	out, err := t.do(ctx, InfoTimeout, name, append([]string{"device", "info", "apps", "--device", device}, which...), nil)
	if err != nil || out.Result == nil {
		return nil, err
	}
	return out.Result.Apps, nil
}

// Processes lists the processes on a device.
func (t Tool) Processes(ctx context.Context, device string) ([]Process, error) {
	const name = "device info processes"
	if err := words(name, device); err != nil {
		return nil, err
	}
	out, err := t.do(ctx, InfoTimeout, name, []string{"device", "info", "processes", "--device", device}, nil)
	if err != nil || out.Result == nil {
		return nil, err
	}
	return out.Result.Processes, nil
}

// Runs reports whether a process belongs to the app: whether its executable is in the app's folder.
func (a App) Runs(p Process) bool {
	folder := onDevice(a.URL)
	return folder != "" && strings.HasPrefix(onDevice(p.Executable), strings.TrimSuffix(folder, "/")+"/")
}

// onDevice is the path of a file URL. Devices name the same folder with /private and without.
func onDevice(url string) string {
	return strings.TrimPrefix(strings.TrimPrefix(url, "file://"), "/private")
}

// Uninstall removes an app from a device.
func (t Tool) Uninstall(ctx context.Context, device, bundle string) error {
	const name = "device uninstall app"
	if err := words(name, device, bundle); err != nil {
		return err
	}
	_, err := t.do(ctx, UninstallTimeout, name, []string{"device", "uninstall", "app", "--device", device}, []string{bundle})
	return err
}

// Install copies an .app folder to a device and returns the bundle ids of the installed apps.
func (t Tool) Install(ctx context.Context, device, app string) ([]string, error) {
	const name = "device install app"
	if err := words(name, device, app); err != nil {
		return nil, err
	}
	out, err := t.do(ctx, InstallTimeout, name, []string{"device", "install", "app", "--device", device}, []string{app})
	if err != nil {
		return nil, err
	}
	var bundles []string
	if out.Result != nil {
		for _, i := range out.Result.Installed {
			bundles = append(bundles, i.BundleID)
		}
	}
	return bundles, nil
}

// LaunchOptions say how an app is launched.
type LaunchOptions struct {
	Args []string
	Env  map[string]string
	// KeepRunning brings a running instance to the front instead of ending it first.
	KeepRunning bool
}

// launch is the command line of Launch and Console up to the app.
func launch(device string, o LaunchOptions, console bool) ([]string, error) {
	args := []string{"device", "process", "launch"}
	if console {
		args = append(args, "--console")
	}
	args = append(args, "--device", device)
	if !o.KeepRunning {
		args = append(args, "--terminate-existing")
	}
	if len(o.Env) > 0 {
		vars, err := json.Marshal(o.Env) // keys in order
		if err != nil {
			return nil, err
		}
		args = append(args, "--environment-variables", string(vars))
	}
	return args, nil
}

// Launch launches an app and returns its pid; 0 if devicectl does not report it. A running instance is ended first, unless KeepRunning is
// set.
func (t Tool) Launch(ctx context.Context, device, bundle string, o LaunchOptions) (int, error) {
	const name = "device process launch"
	if err := words(name, device, bundle); err != nil {
		return 0, err
	}
	args, err := launch(device, o, false)
	if err != nil {
		return 0, fmt.Errorf("devicectl %s: %w", name, err)
	}
	out, err := t.do(ctx, LaunchTimeout, name, args, append([]string{bundle}, o.Args...))
	if err != nil || out.Result == nil || out.Result.Process == nil {
		return 0, err
	}
	return out.Result.Process.PID, nil
}

// Terminate ends a process on a device.
func (t Tool) Terminate(ctx context.Context, device string, pid int) error {
	const name = "device process terminate"
	if err := words(name, device); err != nil {
		return err
	}
	_, err := t.do(ctx, TerminateTimeout, name, []string{"device", "process", "terminate", "--device", device, "--pid", fmt.Sprint(pid)}, nil)
	return err
}

// Console is the command that launches an app, ends an instance before, and prints the app's output until it ends. It writes its document
// to a file. Interrupting the command ends the app.
func (t Tool) Console(device, bundle, document string, o LaunchOptions) (host.Cmd, error) {
	const name = "device process launch --console"
	if err := words(name, device, bundle); err != nil {
		return host.Cmd{}, err
	}
	args, err := launch(device, o, true)
	if err != nil {
		return host.Cmd{}, fmt.Errorf("devicectl %s: %w", name, err)
	}
	c := t.cmd(append(append(args, "--json-output", document, bundle), o.Args...))
	c.Outputs = []string{document}
	return c, nil
}

// ConsoleStarted reports whether a line of Console says that the app was launched.
func ConsoleStarted(line string) bool { return launchLine.MatchString(line) }

// ConsoleRemark reports whether a line of Console is from devicectl itself, not from the app.
func ConsoleRemark(line string) bool {
	return launchLine.MatchString(line) || stepLine.MatchString(line) || line == "Waiting for the application to terminate..."
}

// ReadRefusal reads from Console's document why it could not launch the app; nil if the document has no error.
func ReadRefusal(document string) *Refusal {
	out, err := readFile(document)
	if err != nil || out.Error == nil {
		return nil
	}
	return &Refusal{"device process launch", out.Error, nil}
}

// LaunchedPID reads the pid that Console wrote to its document; 0 if the document has none yet.
func LaunchedPID(document string) int {
	out, err := readFile(document)
	if err != nil || out.Result == nil || out.Result.Process == nil {
		return 0
	}
	return out.Result.Process.PID
}
