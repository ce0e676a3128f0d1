// Package osascript plays the part of macOS's osascript that presses ⌘K and ⇧⌘K in the window of a simulator. ⌘K shows or hides the
// software keyboard, ⇧⌘K connects or disconnects the hardware keyboard. Run plays one command line. It does not interpret AppleScript in
// general.
package osascript

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// exitFailed is the exit status of osascript when a script fails.
const exitFailed = 1

// Run plays one command line.
func Run(ctx context.Context, w *world.World, c tool.Call) int {
	if err := play(ctx, w, c.Args); err != nil {
		fmt.Fprintln(c.Stderr, err)
		return exitFailed
	}
	return 0
}

func play(ctx context.Context, w *world.World, argv []string) error {
	script, args := take(argv)
	if !strings.Contains(script, `keystroke "k"`) || !strings.Contains(script, "command down") {
		return tool.Refuse("0:0: execution error: Virtual Xcode plays only ⌘K and ⇧⌘K in the window of a simulator (-2700)")
	}
	for _, d := range w.Devices() {
		if d.State != world.Booted || !slices.Contains(args, d.Name) && !strings.Contains(script, `"`+d.Name+`"`) {
			continue
		}
		if strings.Contains(script, "shift down") {
			return w.ToggleHardwareKeyboard(ctx, d.UDID)
		}
		return w.ToggleSoftwareKeyboard(ctx, d.UDID)
	}
	return tool.Refuse("0:0: execution error: no window shows that simulator (1)")
}

// take separates the script, given line by line with -e, from its arguments.
func take(argv []string) (script string, args []string) {
	for len(argv) > 1 && argv[0] == "-e" {
		script += argv[1] + "\n"
		argv = argv[2:]
	}
	return script, argv
}

// Marks are the behaviours of osascript and of Simulator's window.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "osascript", Behaviour: "⌘K in the window of a simulator shows or hides its software keyboard, ⇧⌘K connects or disconnects the " +
			"hardware keyboard; a script that fails exits 1", Source: mark.Assumed},
	}
}
