//go:build !novirtual

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/virtualxcode"
)

// hasVirtual reports whether this binary has Virtual Xcode.
const hasVirtual = true

// play is one of Apple's tools, called by its name from the folder of a virtual Xcode. played is false when the name is not
// a tool's.
func play(argv []string) (exit int, played bool) {
	tool := filepath.Base(argv[0])
	if !slices.Contains(virtualxcode.Tools(), tool) {
		return 0, false
	}
	dir, err := virtualxcode.Dir(argv[0])
	binary, selfErr := os.Executable()
	if err != nil || selfErr != nil {
		fmt.Fprintln(os.Stderr, tool+":", err, selfErr)
		return fault.ExitInternal, true
	}
	return virtual(dir, binary).Main(tool, argv[1:]), true
}

// virtual is the virtual Xcode of a folder. It gets the names that the production code has for its agent from here, because
// neither side of a process boundary may import the other.
func virtual(dir, binary string) virtualxcode.Xcode {
	return virtualxcode.Xcode{
		Dir: dir, Binary: binary, Serve: []string{"virtual", "serve"}, Carry: []string{"virtual", "carry"},
		Agent: virtualxcode.Scheme{
			Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
			PublicOnly: xcodebuild.PublicVariable, VariablePrefix: xcodebuild.RunnerPrefix,
		},
	}
}

// virtualOf is the virtual Xcode of a home, mounted and ready.
func virtualOf(h home.Home) (virtualxcode.Xcode, error) {
	build, err := self.Current()
	if err != nil {
		return virtualxcode.Xcode{}, fault.New(fault.Internal, "reading our own binary: %w", err)
	}
	binary, err := copyOf(h, build, fault.PathError)
	if err != nil {
		return virtualxcode.Xcode{}, err
	}
	x := virtual(h.Virtual(), binary)
	if err := x.Mount(); err != nil {
		return x, fault.New(fault.PathError, "%w", err)
	}
	return x, nil
}

// virtualToolchain is the tools of the virtual Xcode of a home.
func virtualToolchain(h home.Home) (apple.Toolchain, error) {
	x, err := virtualOf(h)
	if err != nil {
		return apple.Toolchain{}, err
	}
	return apple.Toolchain{Name: apple.Virtual, Bin: x.Bin(), Reports: x.Reports()}, nil
}

// virtualUsbmux connects to the virtual usbmuxd of a home.
func virtualUsbmux(h home.Home) func(context.Context) (net.Conn, error) {
	of := sync.OnceValues(func() (virtualxcode.Xcode, error) { return virtualOf(h) })
	return func(ctx context.Context) (net.Conn, error) {
		x, err := of()
		if err != nil {
			return nil, err
		}
		return x.Usbmux(ctx)
	}
}

// virtualInside is which requests a virtual app answers itself, and the variables that it reads.
func virtualInside(folder string) (answers, variables []string) { return virtualxcode.Inside(folder) }

// virtualLeft says that the service of the virtual devices goes on without the daemon; empty: it does not run.
func virtualLeft(ctx context.Context, h home.Home) string {
	x, err := virtualOf(h)
	if err != nil {
		return ""
	}
	if s, running, err := x.Status(ctx); err == nil && running {
		return fmt.Sprintf("; the virtual devices go on (pid %d), as simulators do: `ios-agent virtual stop` ends them", s.PID)
	}
	return ""
}

// virtualCommand is everything about Virtual Xcode that Apple's tools have no command for.
func (p *program) virtualCommand() *cobra.Command {
	c := &cobra.Command{Use: "virtual", Short: "Virtual Xcode: its folder, its state, and faults on demand", Args: cobra.NoArgs}
	serve := &cobra.Command{Use: "serve DIR", Short: "Run the service that holds the virtual devices", Args: cobra.ExactArgs(1),
		Hidden: true, RunE: virtualServe}
	carry := &cobra.Command{Use: "carry [BOOTSTRAP]", Short: "Send requests of virtual apps", Args: cobra.MaximumNArgs(1), Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			return virtual("", "").CarryRequests(c.Context(), p.app.In, p.app.Out, args...)
		}}
	c.AddCommand(
		&cobra.Command{Use: "path", Short: "Print the folder with xcrun, xcodebuild, …, for your PATH", Args: cobra.NoArgs,
			RunE: p.virtualPath},
		&cobra.Command{Use: "status", Short: "Show the state of the virtual devices", Args: cobra.NoArgs, RunE: p.virtualStatus},
		&cobra.Command{Use: "stop", Short: "Stop the virtual service; its devices keep their state", Args: cobra.NoArgs,
			RunE: p.virtualStop},
		&cobra.Command{Use: "apps DIR", Short: "Write the built-in apps, such as Shop.app, into a folder", Args: cobra.ExactArgs(1),
			RunE: p.virtualApps},
		&cobra.Command{Use: "check PATH", Short: "Check an app: its .app folder, or its ui.yaml", Args: cobra.ExactArgs(1), RunE: p.virtualCheck},
		&cobra.Command{Use: "project SAMPLE DIR", Short: "Write a sample Xcode project: " + samples(), Args: cobra.ExactArgs(2),
			RunE: p.virtualProject},
		&cobra.Command{Use: "profile [NAME|none]", Short: "Show or set how kind the virtual world is: " +
			strings.Join(virtualxcode.Profiles(), ", "), Args: cobra.MaximumNArgs(1), RunE: p.withService(p.virtualProfile)},
		p.faultCommand(), serve, carry,
	)
	return c
}

// virtualVariables are the variables of Virtual Xcode.
func virtualVariables() []string {
	return []string{virtualxcode.TimeVariable, virtualxcode.ProfileVariable, virtualxcode.MissingVariable}
}

// virtualHere is the virtual Xcode of this process's home.
func virtualHere() (virtualxcode.Xcode, error) {
	h, err := home.Open()
	if err != nil {
		return virtualxcode.Xcode{}, err
	}
	return virtualOf(h)
}

func (p *program) virtualPath(*cobra.Command, []string) error {
	x, err := virtualHere()
	if err != nil {
		return err
	}
	return p.app.Say(x.Bin(), map[string]any{"path": x.Bin(), "tools": virtualxcode.Tools()})
}

func (p *program) virtualStatus(c *cobra.Command, _ []string) error {
	x, err := virtualHere()
	if err != nil {
		return err
	}
	s, running, err := x.Status(c.Context())
	if err != nil {
		return serviceFault(err)
	}
	if !running {
		return p.app.Say("the virtual service does not run; it starts with the next call", map[string]any{"running": false})
	}
	return p.app.Say(describe(s), struct {
		Running bool `json:"running"`
		virtualxcode.Status
	}{true, s})
}

func describe(s virtualxcode.Status) string {
	lines := []string{fmt.Sprintf("the virtual service runs: pid %d, %s time, %d agents", s.PID, s.Time, s.Agents)}
	for _, d := range s.Devices {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s  %s  %s  %s", d.UDID, d.State, d.Name, d.App)))
	}
	for _, entry := range s.Damaged {
		lines = append(lines, "state that cannot be read is set aside (.bad) "+entry)
	}
	if s.Profile != "" {
		lines = append(lines, "profile "+s.Profile)
	}
	lines = append(lines, describeFaults(s)...)
	return strings.Join(lines, "\n")
}

// noProfile is the word for the kind world.
const noProfile = "none"

// virtualProfile sets the profile, if there is a word for it, and says which it is.
func (p *program) virtualProfile(ctx context.Context, s virtualxcode.Client, args []string) error {
	if len(args) == 1 {
		name := args[0]
		if name == noProfile {
			name = ""
		}
		if err := s.SetProfile(ctx, name); err != nil {
			return fault.New(fault.InvalidInput, "%w", err).WithHint("%s ends it", noProfile)
		}
	}
	st, err := s.Status(ctx)
	if err != nil {
		return serviceFault(err)
	}
	return p.app.Say("profile "+cmp.Or(st.Profile, noProfile), map[string]any{"profile": st.Profile})
}

func (p *program) virtualStop(c *cobra.Command, _ []string) error {
	x, err := virtualHere()
	if err != nil {
		return err
	}
	ran, err := x.Stop(c.Context())
	if err != nil {
		return serviceFault(err)
	}
	text := "the virtual service was not running"
	if ran {
		text = "the virtual service stopped"
	}
	return p.app.Say(text, map[string]any{"running": false})
}

func (p *program) virtualApps(_ *cobra.Command, args []string) error {
	dir, err := filepath.Abs(args[0])
	if err == nil {
		err = virtualxcode.WriteApps(dir)
	}
	if err != nil {
		return fault.New(fault.PathError, "writing the built-in apps: %w", err)
	}
	return p.app.Say("wrote the built-in apps to "+dir, map[string]any{"path": dir})
}

// virtualCheck reads a ui.yaml and lists all that is wrong with it.
func (p *program) virtualCheck(_ *cobra.Command, args []string) error {
	path := args[0]
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, virtualxcode.Layout)
	}
	raw, err := regularfile.Read(path, 1<<20)
	if err != nil {
		return fault.New(fault.PathError, "cannot read %s: %w", path, err).WithHint("name an .app folder, or its %s", virtualxcode.Layout)
	}
	if err := virtualxcode.CheckApp(raw); err != nil {
		f := fault.New(fault.InvalidInput, "%s: %w", path, err).WithHint("docs/virtual-apps.md explains the format")
		var problems virtualxcode.Problems
		if errors.As(err, &problems) {
			return f.With("problems", problems)
		}
		return f
	}
	return p.app.Say(path+" is fine", map[string]any{"path": path, "problems": []any{}})
}

func samples() string { return strings.Join(virtualxcode.Samples(), ", ") }

func (p *program) virtualProject(_ *cobra.Command, args []string) error {
	sample := args[0]
	if !slices.Contains(virtualxcode.Samples(), sample) {
		return fault.New(fault.InvalidInput, "unknown sample %q", args[0]).WithHint("there are: %s", samples())
	}
	dir, err := filepath.Abs(args[1])
	if err == nil {
		err = virtualxcode.WriteSample(dir, sample)
	}
	if err != nil {
		return fault.New(fault.PathError, "writing the project: %w", err)
	}
	return p.app.Say("wrote the sample "+args[0]+" to "+dir, map[string]any{"path": dir, "sample": sample})
}

func (p *program) withService(do func(context.Context, virtualxcode.Client, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		x, err := virtualHere()
		if err != nil {
			return err
		}
		return do(c.Context(), x.Client(), args)
	}
}

func serviceFault(err error) error {
	return fault.New(fault.ToolFailed, "the virtual service: %w", err).WithHint("run `ios-agent virtual stop` and try again")
}

// virtualServe is the service. A second one in the same folder exits without an error.
func virtualServe(c *cobra.Command, args []string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	x := virtual(args[0], binary)
	return x.RunService(c.Context(), slog.New(slog.NewTextHandler(resident.Log(x.Place(), os.Stderr), nil)))
}
