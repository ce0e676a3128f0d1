// Package simctl is the front end of Virtual Xcode that stands for "xcrun simctl": it reads the arguments, asks
// the world, and prints what the real tool prints, byte for byte where that is known. Marks says what is.
//
// It holds no state and knows no device: what happens is the world's business.
package simctl

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"ios-agent/internal/virtualxcode/world"
)

// call is one run of the tool.
type call struct {
	world       *world.World
	args        []string // what follows the verb
	dir         string   // the caller's folder, for relative paths
	env         map[string]string
	out, errout io.Writer
}

// verb is a subcommand.
type verb struct {
	name, usage, summary string
	run                  func(context.Context, *call) error
}

// verbs are all subcommands, in the order of the usage text.
func verbs() []verb {
	return []verb{
		{"boot", "<device>", "Boot a device or device pair.", boot},
		{"bootstatus", "<device> [-b]", "Check and optionally wait for the boot of a device to finish.", bootstatus},
		{"help", "[subcommand]", "Prints the usage for a given subcommand.", help},
		{"install", "<device> <path>", "Install an app on a device.", install},
		{"io", "<device> screenshot [--type=png] [--] <file or ->", "Set up a device IO operation.", deviceIO},
		{"launch", "[--terminate-running-process] <device> <app bundle identifier> [<argv 1> <argv 2> ...]", "Launch an application by identifier on a device.", launch},
		{"list", "[-j | --json] [-v] [devices|devicetypes|runtimes|pairs] [<search term>|available]", "List available devices, device types, runtimes, or device pairs.", list},
		{"shutdown", "<device> | all", "Shutdown a device.", shutdown},
		{"terminate", "<device> <app bundle identifier>", "Terminate an application by identifier on a device.", terminate},
	}
}

// Run does what "simctl argv…" does and returns its exit status.
func Run(ctx context.Context, w *world.World, argv []string, dir string, env map[string]string, stdout, stderr io.Writer) (exit int) {
	c := &call{world: w, dir: dir, env: env, out: stdout, errout: stderr}
	if len(argv) == 0 {
		c.usage()
		return exitUsage
	}
	for _, v := range verbs() {
		if v.name == argv[0] {
			c.args = argv[1:]
			return c.report(v, v.run(ctx, c))
		}
	}
	fmt.Fprintf(stderr, "Unrecognized subcommand: %s\n", argv[0])
	c.usage()
	return exitUnrecognized
}

// usage prints the verbs there are; the real tool has it on its standard output even when that is an error.
func (c *call) usage() {
	fmt.Fprint(c.out, "usage: simctl [--set <path>] [--profiles <path>] <subcommand> ...\n"+
		"       simctl help [subcommand]\nCommand line utility to control the Simulator\n\nSubcommands:\n")
	for _, v := range verbs() {
		fmt.Fprintf(c.out, "\t%-20s%s\n", v.name, v.summary)
	}
}

func help(_ context.Context, c *call) error {
	for _, v := range verbs() {
		if len(c.args) > 0 && v.name == c.args[0] {
			fmt.Fprintf(c.out, "%s\n%s", v.summary, v.help())
			return nil
		}
	}
	c.usage()
	return nil
}

func (v verb) help() string { return fmt.Sprintf("Usage: simctl %s %s\n", v.name, v.usage) }

// take removes the first argument and returns it; without one the command was used wrongly.
func (c *call) take() (string, error) {
	if len(c.args) == 0 {
		return "", errUsage
	}
	first := c.args[0]
	c.args = c.args[1:]
	return first, nil
}

// device takes the argument that names a device.
func (c *call) device() (world.Device, error) {
	name, err := c.take()
	if err != nil {
		return world.Device{}, err
	}
	return c.world.Find(name)
}

// deviceAnd takes a device and one more argument.
func (c *call) deviceAnd() (world.Device, string, error) {
	d, err := c.device()
	if err != nil {
		return d, "", err
	}
	more, err := c.take()
	return d, more, err
}

// path is a file the caller named.
func (c *call) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}
