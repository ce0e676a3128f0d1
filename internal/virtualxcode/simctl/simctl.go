// Package simctl is the front end of Virtual Xcode for "xcrun simctl". Run reads the arguments, asks the world, and prints the real
// tool's output, byte for byte where it is known; Marks list the sources. It holds no state: the world carries out every change.
package simctl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// call is one run of the tool. Its Args are the arguments after the verb.
type call struct {
	tool.Call
	world *world.World
}

// Run plays "simctl argv…" and returns its exit status. pbcopy, push and location read standard input. Cancelling ctx acts like an
// interrupt from the keyboard.
func Run(ctx context.Context, w *world.World, of tool.Call) (exit int) {
	c := &call{of, w}
	if len(c.Args) == 0 {
		c.usage()
		return exitUsage
	}
	name := c.Args[0]
	for _, v := range verbs() {
		if v.name == name {
			c.Args = c.Args[1:]
			return c.report(v, c.play(ctx, v))
		}
	}
	fmt.Fprintf(c.Stderr, "Unrecognized subcommand: %s\n", name)
	c.usage()
	return exitUnrecognized
}

// play runs a verb, after the faults that precede it.
func (c *call) play(ctx context.Context, v verb) error {
	if most, fixed := v.words(); fixed && len(c.Args) > most {
		return errUsage
	}
	if err := c.trouble(ctx); err != nil {
		return err
	}
	return v.run(ctx, c)
}

// target is the UDID of the first argument that names a device, or "".
func (c *call) target() string {
	for _, arg := range c.Args {
		if d, err := c.world.Find(arg); err == nil {
			return d.UDID
		}
	}
	return ""
}

// usage prints the verbs, on standard output even after an error, like the real tool.
func (c *call) usage() {
	fmt.Fprint(c.Stdout, "usage: simctl [--set <path>] [--profiles <path>] <subcommand> ...\n"+
		"       simctl help [subcommand]\nCommand line utility to control the Simulator\n\nSubcommands:\n")
	for _, v := range verbs() {
		fmt.Fprintf(c.Stdout, "\t%-20s%s\n", v.name, v.summary)
	}
}

func help(_ context.Context, c *call) error {
	for _, v := range verbs() {
		if len(c.Args) > 0 && v.name == c.Args[0] {
			fmt.Fprintf(c.Stdout, "%s\n%s", v.summary, v.help())
			return nil
		}
	}
	if len(c.Args) > 0 {
		fmt.Fprintf(c.Stderr, "Unrecognized subcommand: %s\n", c.Args[0])
		c.usage()
		return exitStatus(exitUnrecognized)
	}
	c.usage()
	return nil
}

// words are the most arguments of a verb whose usage names each of them; other verbs check their own.
func (v verb) words() (most int, fixed bool) {
	free := slices.ContainsFunc([]string{"...", "arguments", "[-", "[subcommand"}, func(s string) bool { return strings.Contains(v.usage, s) })
	return strings.Count(v.usage, "<"), !free
}

func (v verb) help() string { return fmt.Sprintf("Usage: simctl %s %s\n", v.name, v.usage) }
