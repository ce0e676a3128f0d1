// Package display starts an invisible desktop on Linux: a virtual screen, a window manager and a session bus. Start returns a running
// Display. The desktop is for the demo and for tests; a user's programs run on the user's own desktop.
package display

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// Packages are what Debian calls all that a virtual desktop with a GTK program needs.
const Packages = "xvfb openbox dbus at-spi2-core gtk-3-examples"

// patience is how long a part may take to tell that it is there.
const patience = 30 * time.Second

// Display is a desktop that runs.
type Display struct {
	Name string // :99
	Bus  string // the address of its session bus

	dir   string
	env   []string
	parts []*host.Process
}

// Env is what a program needs to be on it.
func (d *Display) Env() []string {
	return []string{"DISPLAY=" + d.Name, "DBUS_SESSION_BUS_ADDRESS=" + d.Bus, "XDG_RUNTIME_DIR=" + d.dir, "WAYLAND_DISPLAY=", "XAUTHORITY="}
}

// Private are the variables with which a program keeps its settings and its state in folders that go with the display. A program that is
// ended in the midst of its work asks at its next start what is to become of it: the user's own must not.
func (d *Display) Private() (env []string) {
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(d.dir, strings.ToLower(name)))
	}
	return append(env, "GSETTINGS_BACKEND=memory")
}

// Start starts one, whose parts get these variables too, and with them what its bus starts. The caller closes it.
func Start(ctx context.Context, by host.Starter, env ...string) (*Display, error) {
	if runtime.GOOS != "linux" {
		return nil, fault.New(fault.Unsupported, "a virtual display needs an X server, which ios-agent starts on Linux only").
			WithHint("drive the programs of your own desktop: %s lists their windows", hint.Do("debug_windows"))
	}
	var missing []string
	for _, program := range []string{"Xvfb", "openbox", "dbus-daemon"} {
		if !host.Installed(program) {
			missing = append(missing, program)
		}
	}
	if len(missing) > 0 {
		return nil, Missing(strings.Join(missing, ", "))
	}
	dir, err := os.MkdirTemp("", "ios-agent-display")
	if err != nil {
		return nil, fault.New(fault.PathError, "%w", err)
	}
	d := &Display{dir: dir, env: env}
	if err := d.start(ctx, by); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// Missing is the fault of a machine that lacks programs.
func Missing(what string) error {
	return fault.New(fault.ToolMissing, "a virtual display with a program on it needs %s", what).
		WithHint("install what it needs: `sudo apt-get install %s`", Packages)
}

func (d *Display) start(ctx context.Context, by host.Starter) error {
	screen := []string{"-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-noreset"}
	number, err := d.part(ctx, by, host.Cmd{Name: "Xvfb", Args: screen, Env: d.env}, true)
	if err != nil {
		return err
	}
	d.Name = ":" + number
	bus := "unix:path=" + filepath.Join(d.dir, "bus")
	if d.Bus, err = d.part(ctx, by, host.Cmd{Name: "dbus-daemon", Env: slices.Concat(d.env, d.Env()),
		Args: []string{"--session", "--nofork", "--nopidfile", "--print-address=1", "--address=" + bus}}, true); err != nil {
		return err
	}
	rules := filepath.Join(d.dir, "openbox.xml")
	if err := os.WriteFile(rules, []byte(windowRules), 0o600); err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	_, err = d.part(ctx, by, host.Cmd{Name: "openbox", Args: []string{"--config-file", rules}, Env: slices.Concat(d.env, d.Env())}, false)
	return err
}

// windowRules are openbox's: it has no bindings of the mouse. With one on clients it takes each press first and hands it on a moment later,
// to whatever lies at the point then.
const windowRules = `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <mouse></mouse>
</openbox_config>
`

// part starts a program and waits for the first line that it prints, if it says so that it is ready.
func (d *Display) part(ctx context.Context, by host.Starter, c host.Cmd, tells bool) (string, error) {
	said := make(chan string, 1)
	c.OnLine = func(on host.Stream, line []byte) {
		if on == host.Stdout && len(line) > 0 {
			select {
			case said <- string(line):
			default:
			}
		}
	}
	p, err := by.Start(ctx, c)
	if err != nil {
		return "", fault.New(fault.ToolFailed, "%s does not start: %w", c.Name, err)
	}
	d.parts = append(d.parts, p)
	if !tells {
		return "", nil
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case line := <-said:
		return line, nil
	case <-p.Done():
		_, err := p.Result()
		return "", fault.New(fault.ToolFailed, "%s ended before it was ready: %w", c.Name, err)
	case <-late.C:
		return "", fault.New(fault.Timeout, "%s was not ready within %v", c.Name, patience)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Close ends all of it, the last part first.
func (d *Display) Close() error {
	for len(d.parts) > 0 {
		last := d.parts[len(d.parts)-1]
		d.parts = d.parts[:len(d.parts)-1]
		_ = last.Stop(context.Background()) // the host ends what is left
	}
	return os.RemoveAll(d.dir)
}
