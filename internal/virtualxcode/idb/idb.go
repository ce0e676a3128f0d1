// Package idb plays idb, Meta's command line for simulators, as far as other programs use it: targets, apps, reading a screen and
// input. Run plays one command line. It has the gaps of the real tool; package axtree describes the gaps of the tree. It does not
// connect to a companion.
package idb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/hid"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// Exit statuses: idb's own errors, and errors of its argument parser.
const (
	exitFailed = 1
	exitUsage  = 2
)

// call is one command line being played.
type call struct {
	tool.Call
	world  *world.World
	args   arguments
	device world.Device // of commands for one device
}

// command is one command of idb.
type command struct {
	words   string // such as "ui tap"
	takes   []positional
	options map[string]option // besides the common options
	device  bool              // needs one booted device
	run     func(context.Context, call) error
}

func commands() []command {
	whole := func(names ...string) (all []positional) {
		for _, n := range names {
			all = append(all, positional{name: n, kind: wholeNumber})
		}
		return all
	}
	word := func(name string) []positional { return []positional{{name: name}} }
	duration := map[string]option{"--duration": {value: "DURATION", kind: number}}
	tree := map[string]option{"--nested": {}, "--format": {value: "FORMAT", choices: []string{"default", "nested"}},
		"--api": {value: "API", choices: []string{"default"}}}
	return []command{
		{words: "list-targets", run: listTargets},
		{words: "describe", options: map[string]option{"--diagnostics": {}}, device: true, run: describeTarget},
		{words: "connect", takes: word("companion"), run: connect},
		{words: "disconnect", takes: word("companion"), run: func(context.Context, call) error { return nil }},
		{words: "list-apps", options: map[string]option{"--fetch-process-state": {}, "--no-fetch-process-state": {}}, device: true,
			run: listApps},
		{words: "install", takes: word("bundle_path"), options: map[string]option{"--make-debuggable": {}, "--override-mtime": {}},
			device: true, run: install},
		{words: "uninstall", takes: word("bundle_id"), device: true, run: uninstall},
		{words: "launch", takes: []positional{{name: "bundle_id"}, {name: "app_arguments", many: true}},
			options: map[string]option{"--foreground-if-running": {}, "--wait-for": {}, "--wait-for-debugger": {}}, device: true,
			run: launch},
		{words: "terminate", takes: word("bundle_id"), device: true, run: terminate},
		{words: "open", takes: word("url"), device: true, run: openURL},
		{words: "screenshot", takes: word("dest_path"), device: true, run: screenshot},
		{words: "ui describe-all", options: tree, device: true, run: describeAll},
		{words: "ui describe-point", takes: whole("x", "y"), options: tree, device: true, run: describePoint},
		{words: "ui tap", takes: whole("x", "y"), options: duration, device: true, run: tap},
		{words: "ui swipe", takes: whole("x_start", "y_start", "x_end", "y_end"),
			options: with(duration, map[string]option{"--delta": {value: "DELTA", kind: wholeNumber}}), device: true, run: swipe},
		{words: "ui text", takes: word("text"), device: true, run: text},
		{words: "ui key", takes: whole("key"), options: duration, device: true, run: key},
		{words: "ui key-sequence", takes: []positional{{name: "key_sequence", many: true, kind: wholeNumber}}, device: true,
			run: keySequence},
		{words: "ui button", takes: []positional{{name: "button", choices: slices.Sorted(maps.Keys(buttons))}}, options: duration,
			device: true, run: button},
	}
}

func with(sets ...map[string]option) map[string]option {
	all := map[string]option{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

// Run plays one command line.
func Run(ctx context.Context, w *world.World, of tool.Call) int {
	stdout, stderr := of.Stdout, of.Stderr
	rest, found, err := pick(of.Args)
	if err == nil && found == nil {
		overview(stdout)
		return 0
	}
	c := call{Call: of, world: w}
	if err == nil {
		c.args, err = found.parse(rest)
	}
	var wrong usageError
	if errors.As(err, &wrong) {
		fmt.Fprintf(stderr, "usage: %s\n%s: error: %s\n", wrong.usage, wrong.name, wrong.message)
		return exitUsage
	}
	if c.args.has("--help") {
		fmt.Fprintf(stdout, "usage: %s\n", found.usage())
		return 0
	}
	if err == nil && found.device {
		c.device, err = c.target()
	}
	if err == nil {
		err = found.run(ctx, c)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return 0
}

// pick finds the command of a line. An empty line has no command; that is not an error.
func pick(argv []string) (rest []string, found *command, err error) {
	if len(argv) == 0 || argv[0] == "-h" || argv[0] == "--help" {
		return nil, nil, nil
	}
	var first []string // options before the command
	for _, f := range commands() {
		want := strings.Fields(f.words)
		if len(argv) >= len(want) && slices.Equal(argv[:len(want)], want) {
			return argv[len(want):], &f, nil
		}
		if len(want) == 2 && want[0] == argv[0] {
			first = append(first, want[1])
		}
	}
	name, said := "idb", argv[0]
	if first != nil {
		name, said = "idb "+argv[0], strings.Join(argv[1:min(2, len(argv))], "")
	} else {
		for _, f := range commands() {
			if w := strings.Fields(f.words)[0]; !slices.Contains(first, w) {
				first = append(first, w)
			}
		}
	}
	usage := name + " [-h] {" + strings.Join(first, ",") + "} ..."
	return nil, nil, usageError{usage, name, fmt.Sprintf("argument : invalid choice: '%s' (choose from '%s')", said,
		strings.Join(first, "', '"))}
}

func overview(stdout io.Writer) {
	fmt.Fprintln(stdout, "usage: idb [-h] COMMAND ...\n\nidb: a versatile tool to communicate with iOS Simulators and Devices\n\ncommands:")
	for _, f := range commands() {
		fmt.Fprintf(stdout, "  %s\n", f.words)
	}
}

// target finds the device: by its UDID, or the only booted device. It must be booted, because a companion attaches to booted devices
// only.
func (c call) target() (world.Device, error) {
	var booted []world.Device
	udid := c.args.value("--udid")
	for _, d := range c.world.Devices() {
		if strings.EqualFold(d.UDID, udid) {
			if d.State != world.Booted {
				return d, tool.Refuse("Target %s is not booted: its state is %s", d.UDID, d.State)
			}
			return d, nil
		}
		if d.State == world.Booted {
			booted = append(booted, d)
		}
	}
	switch {
	case udid != "":
		return world.Device{}, tool.Refuse("No target found with UDID %s", udid)
	case len(booted) == 1:
		return booted[0], nil
	case len(booted) == 0:
		return world.Device{}, tool.Refuse("No UDID provided and couldn't find a default companion")
	}
	return world.Device{}, tool.Refuse("No UDID provided and there's multiple companions: %s", udids(booted))
}

func udids(devices []world.Device) string {
	var all []string
	for _, d := range devices {
		all = append(all, d.UDID)
	}
	return strings.Join(all, ", ")
}

func (c call) keyboard() hid.Device { return hid.Device{World: c.world, UDID: c.device.UDID} }
