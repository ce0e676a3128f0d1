package simctl

import (
	"context"
	"fmt"
	"path"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/plists"
	"ios-agent/internal/virtualxcode/world"
)

// programs are the programs that spawn can run on a device.
func programs() map[string]func(context.Context, *call, world.Device) error {
	return map[string]func(context.Context, *call, world.Device) error{
		"log":       logProgram,
		"defaults":  defaultsProgram,
		"launchctl": launchctl,
		"true":      func(context.Context, *call, world.Device) error { return nil },
	}
}

// exitNoProgram is the exit status for an unknown program.
const exitNoProgram = 72

func spawn(ctx context.Context, c *call) error {
	if _, err := c.options(map[string]option{"-w": flag, "--wait-for-debugger": flag, "-s": flag, "--standalone": flag, "-a": valued,
		"--arch": valued}); err != nil {
		return err
	}
	d, program, err := c.bootedAnd()
	if err != nil {
		return err
	}
	if c.happensTo(d, flaw.CannotSpawn) {
		return world.ServerDied()
	}
	run := programs()[path.Base(program)]
	if run == nil {
		return &world.Error{Code: exitNoProgram,
			Message: fmt.Sprintf("simctl: error: unable to find utility %q, not on the device", program)}
	}
	return run(ctx, c, d)
}

// defaultsProgram reads and writes the preferences of the device.
func defaultsProgram(_ context.Context, c *call, d world.Device) error {
	tool := plists.Tool{Call: c.Call, Preferences: path.Join(d.DataPath, "Library/Preferences")}
	if exit := tool.Defaults(); exit != 0 {
		return exitStatus(exit)
	}
	return nil
}

// launchctl lists processes by their launchd labels.
func launchctl(ctx context.Context, c *call, d world.Device) error {
	if len(c.Args) != 1 || c.Args[0] != "list" {
		fmt.Fprintln(c.Stderr, "Unrecognized subcommand: only list is supported by Virtual Xcode")
		return exitStatus(64)
	}
	processes, err := c.world.Processes(ctx, d.UDID)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "PID\tStatus\tLabel\n-\t0\tcom.apple.CoreSimulator.bridge\n")
	for _, p := range processes {
		label := fmt.Sprintf("UIKitApplication:%s[%04x][rb-legacy]", p.Bundle, p.PID&0xFFFF)
		if p.Bundle == world.SpringBoard {
			label = "com.apple.SpringBoard"
		}
		fmt.Fprintf(c.Stdout, "%d\t0\t%s\n", p.PID, label)
	}
	return nil
}

// getenv prints a variable of the device's environment.
func getenv(_ context.Context, c *call) error {
	d, name, err := c.bootedAnd()
	if err != nil {
		return err
	}
	value, ok := map[string]string{
		"HOME": d.DataPath, "TMPDIR": d.DataPath + "/tmp", "SIMULATOR_SHARED_RESOURCES_DIRECTORY": d.DataPath,
		"SIMULATOR_UDID": d.UDID, "SIMULATOR_DEVICE_NAME": d.Name, "SIMULATOR_MODEL_IDENTIFIER": d.Type.Model,
		"SIMULATOR_ROOT": d.Runtime.Root(), "IPHONE_SIMULATOR_ROOT": d.Runtime.Root(), "SIMULATOR_LOG_ROOT": d.LogPath,
		"SIMULATOR_RUNTIME_VERSION": d.Runtime.Version, "SIMULATOR_RUNTIME_BUILD_VERSION": d.Runtime.Build,
		"SIMULATOR_MAINSCREEN_WIDTH":  fmt.Sprint(d.Screen.Width * d.Screen.Scale),
		"SIMULATOR_MAINSCREEN_HEIGHT": fmt.Sprint(d.Screen.Height * d.Screen.Scale),
		"SIMULATOR_MAINSCREEN_SCALE":  fmt.Sprintf("%f", d.Screen.Scale),
	}[name]
	if !ok {
		return exitStatus(exitFailed)
	}
	fmt.Fprintln(c.Stdout, value)
	return nil
}
