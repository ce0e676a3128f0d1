// Package axe plays AXe, the command line that other programs of this field drive a simulator with. It has the gaps of
// the real one: it sees a flat list of what CoreSimulator's accessibility exposes, and a tap that did nothing is reported
// as done.
package axe

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/world"
)

// version is the AXe we imitate.
const version = "1.8.0"

// Exit codes: swift-argument-parser's for a command line it does not accept, 1 for everything else.
const (
	exitFailed = 1
	exitUsage  = 64
)

// call is one command line being played.
type call struct {
	ctx    context.Context
	world  *world.World
	args   arguments
	stdout io.Writer
	stderr io.Writer
}

// verb is a subcommand: the options it takes, and what it does.
type verb struct {
	usage   string          // after "axe NAME"
	options map[string]bool // name → takes a value
	words   bool            // takes words too
	do      func(call) error
}

func verbs() map[string]verb {
	point := map[string]bool{"--udid": true, "-x": true, "-y": true, "--pre-delay": true, "--post-delay": true}
	tap := map[string]bool{"--id": true, "--label": true, "--value": true, "--element-type": true, "--wait-timeout": true, "--poll-interval": true, "--tap-style": true}
	maps.Copy(tap, point)
	line := map[string]bool{"--udid": true, "--start-x": true, "--start-y": true, "--end-x": true, "--end-y": true, "--duration": true, "--delta": true,
		"--pre-delay": true, "--post-delay": true, "--steps": true}
	device := map[string]bool{"--udid": true}
	return map[string]verb{
		"describe-ui":     {"--udid <udid> [--point <x,y>]", map[string]bool{"--udid": true, "--point": true}, false, describe},
		"tap":             {"[-x <x>] [-y <y>] [--id <id>] [--label <label>] --udid <udid>", tap, false, tapElement},
		"touch":           {"-x <x> -y <y> [--down] [--up] [--delay <delay>] --udid <udid>", map[string]bool{"--udid": true, "-x": true, "-y": true, "--down": false, "--up": false, "--delay": true}, false, touch},
		"swipe":           {"--start-x <x> --start-y <y> --end-x <x> --end-y <y> [--duration <s>] --udid <udid>", line, false, swipe},
		"drag":            {"--start-x <x> --start-y <y> --end-x <x> --end-y <y> [--duration <s>] [--steps <n>] --udid <udid>", line, false, swipe},
		"gesture":         {"<preset> [--screen-width <w>] [--screen-height <h>] [--duration <s>] --udid <udid>", map[string]bool{"--udid": true, "--screen-width": true, "--screen-height": true, "--duration": true, "--delta": true, "--pre-delay": true, "--post-delay": true}, true, gesture},
		"type":            {"[<text>] --udid <udid>", device, true, typeText},
		"key":             {"<keycode> [--duration <s>] --udid <udid>", map[string]bool{"--udid": true, "--duration": true}, true, pressKey},
		"key-sequence":    {"--keycodes <codes> [--delay <s>] --udid <udid>", map[string]bool{"--udid": true, "--keycodes": true, "--delay": true}, false, pressKeys},
		"screenshot":      {"[--output <file>] --udid <udid>", map[string]bool{"--udid": true, "--output": true}, false, screenshot},
		"list-simulators": {"", map[string]bool{}, false, listSimulators},
	}
}

// Run plays one command line.
func Run(ctx context.Context, w *world.World, argv []string, dir string, _ map[string]string, stdout, stderr io.Writer) int {
	if len(argv) == 1 && argv[0] == "--version" {
		fmt.Fprintln(stdout, version)
		return 0
	}
	all := verbs()
	if len(argv) == 0 || all[argv[0]].do == nil {
		fmt.Fprintf(stderr, "Error: Unexpected argument '%s'\nUsage: axe <subcommand>\n  See 'axe --help' for more information.\n", strings.Join(argv[:min(1, len(argv))], ""))
		return exitUsage
	}
	name, v := argv[0], all[argv[0]]
	args, err := parse(v, argv[1:], dir)
	if err != nil {
		fmt.Fprintf(stderr, "Error: %v\nUsage: axe %s %s\n  See 'axe %s --help' for more information.\n", err, name, v.usage, name)
		return exitUsage
	}
	if err := v.do(call{ctx, w, args, stdout, stderr}); err != nil {
		fmt.Fprintf(stderr, "Error: %v\n", err)
		return exitFailed
	}
	return 0
}

// arguments is a command line taken apart.
type arguments struct {
	options map[string]string
	words   []string
	dir     string
}

// refusal is an error in the words of the real tool, capitals and all.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

func parse(v verb, argv []string, dir string) (arguments, error) {
	a := arguments{options: map[string]string{}, dir: dir}
	for i := 0; i < len(argv); i++ {
		name, value, inline := strings.Cut(argv[i], "=")
		takes, known := v.options[name]
		switch {
		case !known && strings.HasPrefix(name, "-") && len(name) > 1:
			return a, refuse("Unknown option '%s'", name)
		case !known && !v.words:
			return a, refuse("Unexpected argument '%s'", argv[i])
		case !known:
			a.words = append(a.words, argv[i])
		case !takes:
			a.options[name] = "true"
		case inline:
			a.options[name] = value
		case i+1 == len(argv):
			return a, refuse("Missing value for '%s <%s>'", name, strings.TrimLeft(name, "-"))
		default:
			i++
			a.options[name] = argv[i]
		}
	}
	if _, needs := v.options["--udid"]; needs && a.options["--udid"] == "" {
		return a, errMissingUDID
	}
	return a, nil
}

// listSimulators prints one line a device.
func listSimulators(c call) error {
	for _, d := range slices.SortedFunc(slices.Values(c.world.Devices()), func(a, b world.Device) int { return strings.Compare(a.Name+a.UDID, b.Name+b.UDID) }) {
		fmt.Fprintf(c.stdout, "%s | %s | %s\n", d.UDID, d.Name, d.State)
	}
	return nil
}

// Marks say what is known of the real AXe.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "axe", Behaviour: "describe-ui: an array with one application, its elements flat below it; keys and their order", Source: mark.Observed("ui-describe/axe-describe-ui-tuist.json")},
		{Tool: "axe", Behaviour: "a wrong command line: Error, Usage and See lines, exit 64", Source: mark.Observed("ui-describe/axe-error-unknown-option.stderr.txt")},
		{Tool: "axe", Behaviour: "a tap is reported as completed whatever it did", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "an element that does not match, or matches several times, exits 1", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "gesture presets, key codes for letters, digits, return and delete", Source: mark.Assumed},
	}
}
