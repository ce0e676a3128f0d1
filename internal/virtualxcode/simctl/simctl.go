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
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// call is one run of the tool.
type call struct {
	world       *world.World
	args        []string // what follows the verb
	dir         string   // the caller's folder, for relative paths
	env         map[string]string
	in          io.Reader
	out, errout io.Writer
}

// Run does what "simctl argv…" does without a standard input and returns its exit status.
func Run(ctx context.Context, w *world.World, argv []string, dir string, env map[string]string, stdout, stderr io.Writer) (exit int) {
	return RunInput(ctx, w, argv, dir, env, strings.NewReader(""), stdout, stderr)
}

// RunInput is Run with a standard input, which pbcopy, push and location read. The end of ctx is what an interrupt from
// the keyboard is to the real tool.
func RunInput(ctx context.Context, w *world.World, argv []string, dir string, env map[string]string, stdin io.Reader, stdout, stderr io.Writer) (exit int) {
	c := &call{world: w, dir: dir, env: env, in: stdin, out: stdout, errout: stderr}
	if len(argv) == 0 {
		c.usage()
		return exitUsage
	}
	for _, v := range verbs() {
		if v.name == argv[0] {
			c.args = argv[1:]
			return c.report(v, c.play(ctx, v))
		}
	}
	fmt.Fprintf(stderr, "Unrecognized subcommand: %s\n", argv[0])
	c.usage()
	return exitUnrecognized
}

// play runs a verb, unless something goes wrong first.
func (c *call) play(ctx context.Context, v verb) error {
	if err := c.trouble(ctx); err != nil {
		return err
	}
	return v.run(ctx, c)
}

// target is the UDID of the device a command is about, as far as can be told from the outside; else "".
func (c *call) target() string {
	for _, arg := range c.args {
		if d, err := c.world.Find(arg); err == nil {
			return d.UDID
		}
	}
	return ""
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
	if len(c.args) > 0 {
		fmt.Fprintf(c.errout, "Unrecognized subcommand: %s\n", c.args[0])
		c.usage()
		return exitStatus(exitUnrecognized)
	}
	c.usage()
	return nil
}

func (v verb) help() string { return fmt.Sprintf("Usage: simctl %s %s\n", v.name, v.usage) }

// path is a file the caller named.
func (c *call) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}
