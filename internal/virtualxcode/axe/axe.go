// Package axe plays AXe, a command line with which other programs drive a simulator. Run plays one command line. It has the gaps of the
// real tool: it sees the flat list that CoreSimulator's accessibility exposes, and it reports a tap as done whatever its effect.
package axe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/hid"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// version is the imitated version of AXe.
const version = "1.8.0"

// exitFailed is the exit status of a valid command that failed.
const exitFailed = 1

// call is one command line being played.
type call struct {
	tool.Call
	world *world.World
	args  swiftargs.Args
}

// verb is a subcommand.
type verb struct {
	usage   string          // after "axe NAME"
	options map[string]bool // option name → whether it takes a value
	words   int
	do      func(context.Context, call) error
	step    bool // allowed in a batch
}

func with(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

func verbs() map[string]verb {
	device := map[string]bool{"--udid": true}
	delays := with(device, map[string]bool{"--pre-delay": true, "--post-delay": true})
	selector := map[string]bool{"--id": true, "--label": true, "--value": true, "--element-type": true, "--wait-timeout": true,
		"--poll-interval": true}
	point := map[string]bool{"-x": true, "-y": true}
	line := with(delays, map[string]bool{"--start-x": true, "--start-y": true, "--end-x": true, "--end-y": true, "--duration": true,
		"--delta": true})
	return map[string]verb{
		"describe-ui": {usage: "--udid <udid> [--point <x,y>]", options: with(device, map[string]bool{"--point": true}), do: describe},
		"tap": {usage: "[-x <x>] [-y <y>] [--id <id>] [--label <label>] [--value <value>] [--element-type <element-type>] [--pre-delay " +
			"<pre-delay>] [--post-delay <post-delay>] [--tap-style <tap-style>] [--wait-timeout <wait-timeout>] [--poll-interval " +
			"<poll-interval>] --udid <udid>",
			options: with(delays, selector, point, map[string]bool{"--tap-style": true}), do: tap, step: true},
		"touch": {usage: "-x <x> -y <y> [--down] [--up] [--delay <delay>] --udid <udid>",
			options: with(device, point, map[string]bool{"--down": false, "--up": false, "--delay": true, "--landscape-flipped": false}),
			do:      touch, step: true},
		"swipe": {usage: "--start-x <start-x> --start-y <start-y> --end-x <end-x> --end-y <end-y> [--duration <duration>] [--delta " +
			"<delta>] [--pre-delay <pre-delay>] [--post-delay <post-delay>] --udid <udid>",
			options: line, do: swipe, step: true},
		"drag": {usage: "--start-x <start-x> --start-y <start-y> --end-x <end-x> --end-y <end-y> [--duration <duration>] [--steps " +
			"<steps>] [--pre-delay <pre-delay>] [--post-delay <post-delay>] --udid <udid>",
			options: with(line, map[string]bool{"--steps": true}), do: swipe},
		"gesture": {usage: "<preset> [--screen-width <screen-width>] [--screen-height <screen-height>] [--duration <duration>] " +
			"[--delta <delta>] [--pre-delay <pre-delay>] [--post-delay <post-delay>] --udid <udid>",
			options: with(delays, map[string]bool{"--screen-width": true, "--screen-height": true, "--duration": true, "--delta": true}),
			words:   1, do: gesture, step: true},
		"slider": {usage: "[--id <id>] [--label <label>] [--element-type <element-type>] --value <value> [--wait-timeout " +
			"<wait-timeout>] [--poll-interval <poll-interval>] --udid <udid>",
			options: with(device, selector), do: slide},
		"type": {usage: "[<text>] [--stdin] [--file <file>] --udid <udid>",
			options: with(device, map[string]bool{"--stdin": false, "--file": true}), words: 1, do: typeText, step: true},
		"key": {usage: "<keycode> [--duration <duration>] --udid <udid>",
			options: with(device, map[string]bool{"--duration": true}), words: 1, do: pressKey, step: true},
		"key-sequence": {usage: "--keycodes <keycodes> [--delay <delay>] --udid <udid>",
			options: with(device, map[string]bool{"--keycodes": true, "--delay": true}), do: pressKeys, step: true},
		"key-combo": {usage: "--modifiers <modifiers> --key <key> --udid <udid>",
			options: with(device, map[string]bool{"--modifiers": true, "--key": true}), do: pressCombo, step: true},
		"button": {usage: "<button> [--duration <duration>] --udid <udid>", options: with(device, map[string]bool{"--duration": true}),
			words: 1, do: pressButton, step: true},
		"batch": {usage: "--udid <udid> [--step <step> ...] [--file <file>] [--stdin] [--ax-cache <ax-cache>] [--continue-on-error] " +
			"[--wait-timeout <wait-timeout>] [--poll-interval <poll-interval>]",
			options: with(device, map[string]bool{"--step": true, "--file": true, "--stdin": false, "--ax-cache": true,
				"--type-submission": true, "--type-chunk-size": true,
				"--tap-style": true, "--continue-on-error": false, "--wait-timeout": true, "--poll-interval": true})},
		"screenshot": {usage: "[--output <output>] --udid <udid>", options: with(device, map[string]bool{"--output": true}),
			do: screenshot},
		"record-video": {usage: "--udid <udid>", options: with(device, map[string]bool{"--fps": true, "--quality": true, "--scale": true,
			"--output": true}), do: unsupported("record-video")},
		"stream-video": {usage: "--udid <udid>", options: with(device, map[string]bool{"--fps": true, "--quality": true, "--scale": true,
			"--format": true}), do: unsupported("stream-video")},
		"list-simulators": {do: listSimulators},
	}
}

// unsupported is a feature of the real tool that is missing here. The error says so, because an error of the real tool would mislead
// people.
func unsupported(name string) func(context.Context, call) error {
	return func(context.Context, call) error {
		return tool.Refuse("Virtual Xcode does not support axe %s yet.", name)
	}
}

// find returns a verb and its parsed command line.
func find(name string) (verb, swiftargs.Command, bool) {
	v, known := verbs()[name]
	if name == "batch" {
		v.do = batch // batch runs verbs, so it cannot be a static row of their table
	}
	c := swiftargs.Command{Name: "axe " + name, Usage: v.usage, Options: with(v.options, map[string]bool{"--help": false}),
		Short: map[string]string{"-h": "--help"}, Words: v.words}
	if v.options["--udid"] {
		c.Required = []swiftargs.Required{{Option: "--udid", Value: "udid", Help: "The UDID of the simulator."}}
	}
	return v, c, known
}

// Run plays one command line.
func Run(ctx context.Context, w *world.World, c tool.Call) int {
	argv, stdout, stderr := c.Args, c.Stdout, c.Stderr
	top := swiftargs.Command{Name: "axe", Usage: "<subcommand>"}
	switch {
	case len(argv) == 1 && argv[0] == "--version":
		fmt.Fprintln(stdout, version)
		return 0
	case len(argv) == 0 || argv[0] == "--help" || argv[0] == "-h" || argv[0] == "help":
		fmt.Fprintf(stdout, "OVERVIEW: A tool to interact with iOS simulators.\n\nUSAGE: axe <subcommand>\n\nSUBCOMMANDS:\n  %s\n",
			strings.Join(slices.Sorted(maps.Keys(verbs())), "\n  "))
		return 0
	}
	v, parser, known := find(argv[0])
	if !known {
		return top.Report(stderr, swiftargs.Refuse("Unexpected argument '%s'", argv[0]))
	}
	args, err := parser.Parse(argv[1:])
	if err == nil && args.Has("--help") {
		fmt.Fprintf(stdout, "USAGE: %s %s\n", parser.Name, parser.Usage)
		return 0
	}
	if err == nil {
		err = v.do(ctx, call{c, w, args})
	}
	var wrong swiftargs.Wrong
	switch {
	case errors.As(err, &wrong):
		return parser.Report(stderr, wrong)
	case err != nil:
		fmt.Fprintf(stderr, "Error: %v\n", err)
		return exitFailed
	}
	return 0
}

func (c call) udid() string { return c.args.Value("--udid") }

func (c call) keyboard() hid.Device { return hid.Device{World: c.world, UDID: c.udid()} }

// simulator finds the device, by UDID only. AXe does not see physical devices.
func (c call) simulator() (world.Device, error) {
	for _, d := range c.world.Devices() {
		if strings.EqualFold(d.UDID, c.udid()) {
			return d, nil
		}
	}
	return world.Device{}, tool.Refuse("Simulator with UDID %s not found in set.", c.udid())
}

// number reads an option with a default.
func (c call) number(name string, otherwise float64) (float64, error) {
	if !c.args.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseFloat(c.args.Value(name), 64)
	if err != nil {
		return 0, swiftargs.Refuse("The value '%s' is invalid for '%s <%s>'", c.args.Value(name), name, strings.TrimLeft(name, "-"))
	}
	return n, nil
}

// between reads a number with limits.
func (c call) between(name string, otherwise, low, high float64, complaint string) (float64, error) {
	n, err := c.number(name, otherwise)
	if err == nil && !(n >= low && n <= high) {
		err = swiftargs.Refuse("%s", complaint)
	}
	return n, err
}

// listSimulators prints one line per device.
func listSimulators(_ context.Context, c call) error {
	for _, d := range slices.SortedFunc(slices.Values(c.world.Devices()), func(a, b world.Device) int {
		return strings.Compare(a.Name+a.UDID, b.Name+b.UDID)
	}) {
		fmt.Fprintf(c.Stdout, "%s | %s | %s\n", d.UDID, d.Name, d.State)
	}
	return nil
}
