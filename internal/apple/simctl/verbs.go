package simctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/machine/host"
)

// A full list of a machine with many runtimes is a megabyte; half a list would be invalid JSON.
const maxList = 64 << 20

// List returns all devices, runtimes, device types and pairs.
func (t Tool) List(ctx context.Context) (List, error) {
	r, err := t.do(ctx, call{args: []string{"list", "-j"}, timeout: ListTimeout, maxOutput: maxList})
	if err != nil {
		return List{}, err
	}
	return ParseList(r.Stdout)
}

// Boot begins to boot a device; a device that is booting or booted is not an error. See BootStatus.
func (t Tool) Boot(ctx context.Context, udid string) error {
	_, err := t.on(ctx, udid, call{args: []string{"boot", udid}, timeout: BootTimeout})
	return unless(err, StateBooted, StateBooting)
}

// BootStatus boots a device if needed and waits until it is usable.
func (t Tool) BootStatus(ctx context.Context, udid string) error {
	_, err := t.on(ctx, udid, call{args: []string{"bootstatus", udid, "-b"}, timeout: BootStatusTimeout})
	return err
}

// Shutdown shuts a device down; a device that is down is not an error.
func (t Tool) Shutdown(ctx context.Context, udid string) error {
	_, err := t.on(ctx, udid, call{args: []string{"shutdown", udid}, timeout: ShutdownTimeout})
	return unless(err, StateShutdown)
}

// Install installs an .app folder on a booted device.
func (t Tool) Install(ctx context.Context, udid, app string) error {
	app, err := filepath.Abs(app)
	if err != nil {
		return fmt.Errorf("simctl install: %w", err)
	}
	_, err = t.on(ctx, udid, call{args: []string{"install", udid, app}, timeout: InstallTimeout})
	return err
}

// LaunchOptions say how an app is launched.
type LaunchOptions struct {
	Args             []string          // of the app
	Env              map[string]string // of the app; handed over as SIMCTL_CHILD_<name>
	TerminateRunning bool              // end a running instance first; else it is brought to the front and keeps its pid
	WaitForDebugger  bool              // it waits at its start for a debugger
	Stdout, Stderr   string            // files for the app's output
}

// Launch launches an app and returns its pid.
func (t Tool) Launch(ctx context.Context, udid, bundle string, o LaunchOptions) (pid int, err error) {
	c := call{args: []string{"launch"}, timeout: LaunchTimeout}
	if o.TerminateRunning {
		c.args = append(c.args, "--terminate-running-process")
	}
	if o.WaitForDebugger {
		c.args = append(c.args, "--wait-for-debugger")
	}
	for option, path := range map[string]string{"--stdout=": o.Stdout, "--stderr=": o.Stderr} {
		if path != "" {
			c.args = append(c.args, option+path)
		}
	}
	slices.Sort(c.args[1:])
	c.args = append(append(c.args, udid, bundle), o.Args...)
	for name, value := range o.Env {
		c.env = append(c.env, childPrefix+name+"="+value)
	}
	slices.Sort(c.env)
	r, err := t.on(ctx, udid, c)
	if err != nil {
		return 0, err
	}
	return launchedPID(r.Stdout, bundle)
}

// launchedPID reads "<bundle>: <pid>", which may follow other lines.
func launchedPID(out []byte, bundle string) (int, error) {
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), bundle+": "); ok {
			if pid, err := strconv.Atoi(rest); err == nil && pid > 0 {
				return pid, nil
			}
		}
	}
	return 0, fmt.Errorf("simctl launch: no pid of %s in %q", bundle, out)
}

// Terminate ends an app; an app that does not run is not an error.
func (t Tool) Terminate(ctx context.Context, udid, bundle string) error {
	_, err := t.on(ctx, udid, call{args: []string{"terminate", udid, bundle}, timeout: TerminateTimeout})
	var e *Error
	if errors.As(err, &e) && e.Has(DomainPOSIX, noSuchProcess) {
		return nil
	}
	return err
}

var pngMagic = []byte("\x89PNG\r\n\x1a\n")

// Screenshot returns the screen as PNG. It uses a file in a private folder, because simctl writes its own remarks to standard output.
func (t Tool) Screenshot(ctx context.Context, udid string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "simctl-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("simctl io screenshot: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "screen.png")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // so that simctl does not choose the mode
		return nil, fmt.Errorf("simctl io screenshot: %w", err)
	}
	c := call{args: []string{"io", udid, "screenshot", path}, timeout: ScreenshotTimeout, outputs: []string{path}}
	if _, err := t.on(ctx, udid, c); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("simctl io screenshot: %w", err)
	}
	if !bytes.HasPrefix(b, pngMagic) {
		return nil, fmt.Errorf("simctl io screenshot: the answer of %d bytes is not a PNG", len(b))
	}
	return b, nil
}

// Spawn runs a program inside a booted device to its end. An exit code of that program is a *host.ExitError, and its error output an *Error
// without Domain; an *Error with a Domain is a refusal of simctl.
func (t Tool) Spawn(ctx context.Context, udid, program string, args ...string) (host.Result, error) {
	c := call{args: append([]string{"spawn", udid, program}, args...), timeout: SpawnTimeout}
	return t.on(ctx, udid, c)
}

// unless ignores simctl's refusal to change a device that is in one of these states.
func unless(err error, states ...string) error {
	var e *Error
	if errors.As(err, &e) && e.Domain == DomainSim && slices.Contains(states, e.State()) {
		return nil
	}
	return err
}
