// Package devicectl is the front end of Virtual Xcode for "xcrun devicectl". Run reads the arguments, asks the world about its physical
// devices, and prints the real tool's output as text and as JSON. It holds no state: the world carries out every change.
package devicectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// version is the imitated version of devicectl: the version of the samples with the most devices.
const version = "397.28"

// exitFailed is the exit status of a valid command that failed.
const exitFailed = 1

// call is one run of the tool.
type call struct {
	tool.Call
	world  *world.World
	args   swiftargs.Args
	device world.Physical // of commands for one device

	jsonVersion int
}

// object is a JSON object; the real tool sorts its keys.
type object = map[string]any

// command is one command of the tool. Its function returns the "result" of the JSON.
type command struct {
	words   string // such as "device info apps"
	summary string
	usage   string
	options map[string]bool // besides the common options
	word    string          // required options
	takes   int             // positional words
	passes  bool
	device  bool // needs a device
	needs   []swiftargs.Required
	run     func(context.Context, *call) (object, error)
}

const deviceValue = "uuid|ecid|serial_number|udid|name|dns_name"

func commands() []command {
	launching := map[string]bool{"--console": false, "--terminate-existing": false, "--environment-variables": true,
		"--start-stopped": false,
		"--activate":      false, "--no-activate": false, "--payload-url": true, "--working-directory": true, "--user": true}
	listing := map[string]bool{"--columns": true, "--filter": true, "--sort-by": true, "--hide-headers": false,
		"--hide-default-columns": false}
	apps := map[string]bool{"--bundle-id": true, "--include-all-apps": false, "--include-default-apps": false,
		"--include-removable-apps": false, "--no-include-removable-apps": false, "--columns": true,
		"--filter": true}
	domain := swiftargs.Required{Option: "--domain-type", Value: "domain-type", Help: "The domain of the files."}
	return []command{
		{words: "list devices", summary: "List known devices", options: listing, run: listDevices},
		{words: "device info details", summary: "Show detailed information about a device", device: true, run: details},
		{words: "device info apps", summary: "List the apps on a device", usage: "[--bundle-id <bundle-id>]", options: apps, device: true,
			run: listApps},
		{words: "device info processes", summary: "List the processes running on a device", options: listing, device: true, run: processes},
		{words: "device info files", summary: "List files on a device", usage: "--domain-type <domain-type>",
			options: map[string]bool{"--domain-type": true, "--subdirectory": true, "--recurse": false, "--no-recurse": false}, device: true,
			needs: []swiftargs.Required{domain}, run: listFiles},
		{words: "device copy from", summary: "Copy files from a device",
			usage:   "--domain-type <domain-type> --source <path> --destination <path>",
			options: map[string]bool{"--domain-type": true, "--source": true, "--destination": true}, device: true,
			needs: []swiftargs.Required{domain, {Option: "--source", Value: "path", Help: "The files to copy."},
				{Option: "--destination", Value: "path", Help: "Where to copy them to."}}, run: copyFrom},
		{words: "device info lockState", summary: "Show whether a device is locked", device: true, run: lockState},
		{words: "device info displays", summary: "Show the displays of a device", device: true, run: displays},
		{words: "device install app", summary: "Install an app on a device", usage: "<path>", word: "<path>", takes: 1, device: true,
			run: install},
		{words: "device uninstall app", summary: "Uninstall an app from a device", usage: "<bundle-identifier>",
			word: "<bundle-identifier>", takes: 1, device: true, run: uninstall},
		{words: "device process launch", summary: "Launch an app on a device",
			usage: "[--console] [--terminate-existing] [--environment-variables <json>] <bundle-identifier-or-path> " +
				"[<command-line-arguments> ...]",
			options: launching, word: "<bundle-identifier-or-path>", takes: swiftargs.Many, passes: true, device: true, run: launch},
		{words: "device process terminate", summary: "Terminate a process on a device", usage: "--pid <pid>",
			options: map[string]bool{"--pid": true, "--kill": false}, device: true,
			needs: []swiftargs.Required{{Option: "--pid", Value: "pid", Help: "The process identifier of the process to terminate."}},
			run:   terminate},
	}
}

// everywhere are the options of every command, which may also come before it.
var everywhere = map[string]bool{"--json-output": true, "--log-output": true, "--timeout": true, "--quiet": false, "--verbose": false,
	"--help": false, "--device": true}

var short = map[string]string{"-j": "--json-output", "-l": "--log-output", "-t": "--timeout", "-q": "--quiet", "-v": "--verbose",
	"-h": "--help", "-d": "--device"}

// Run plays "devicectl argv…" and returns its exit status. Cancelling ctx acts like an interrupt from the keyboard. Of env it uses TERM
// and variables with the prefix DEVICECTL_CHILD_.
func Run(ctx context.Context, w *world.World, of tool.Call) int {
	c := &call{Call: of, world: w, jsonVersion: 2}
	if slices.Equal(c.Args, []string{"--version"}) {
		fmt.Fprintln(c.Stdout, version)
		return 0
	}
	words, rest := split(c.Args)
	found, ok := find(words)
	if !ok {
		return c.overview(words)
	}
	parser := found.parser()
	var err error
	if c.args, err = parser.Parse(rest(len(strings.Fields(found.words)))); err == nil && c.args.Has("--help") {
		c.help(parser, found)
		return 0
	}
	if err == nil && found.word != "" && len(c.args.Words) == 0 {
		err = swiftargs.Refuse("Missing expected argument '%s'", found.word)
	}
	if err != nil {
		return parser.Report(c.Stderr, err)
	}
	done := c.play(ctx, found)
	var wrong swiftargs.Wrong
	if errors.As(done.err, &wrong) {
		return parser.Report(c.Stderr, wrong)
	}
	return c.finish(found, done)
}

// parser declares the command line of a command.
func (f command) parser() swiftargs.Command {
	p := swiftargs.Command{Name: "devicectl " + f.words, Usage: "[--quiet] [--json-output <path>] [--timeout <seconds>] " + f.usage,
		Options: map[string]bool{}, Short: short, Words: f.takes, Passes: f.passes}
	for _, some := range []map[string]bool{everywhere, f.options} {
		for name, takes := range some {
			p.Options[name] = takes
		}
	}
	if f.device {
		p.Usage = "--device <" + deviceValue + "> " + p.Usage
		p.Required = []swiftargs.Required{{Option: "--device", Value: deviceValue, Help: "The identifier, ECID, serial number, UDID, " +
			"user-provided name, or DNS name of the device."}}
	} else {
		delete(p.Options, "--device")
	}
	p.Required = append(p.Required, f.needs...)
	return p
}

// split finds the words of a command among options in any place. The second result is the line without its first n words.
func split(argv []string) (words []string, without func(n int) []string) {
	var at []int
	for i := 0; i < len(argv) && len(words) < 3; i++ {
		name, _, inline := strings.Cut(argv[i], "=")
		if full, is := short[name]; is {
			name = full
		}
		if takes, known := everywhere[name]; known {
			if takes && !inline {
				i++
			}
			continue
		}
		words, at = append(words, argv[i]), append(at, i)
	}
	return words, func(n int) []string {
		var rest []string
		for i, arg := range argv {
			if !slices.Contains(at[:n], i) {
				rest = append(rest, arg)
			}
		}
		return rest
	}
}

func find(words []string) (command, bool) {
	for _, f := range commands() {
		if want := strings.Fields(f.words); len(words) >= len(want) && slices.Equal(words[:len(want)], want) {
			return f, true
		}
	}
	return command{}, false
}

// overview answers a line without a command: it prints help, or names the wrong word.
func (c *call) overview(words []string) int {
	if len(words) > 0 && words[0] == "help" {
		words = words[1:]
		if f, ok := find(words); ok {
			c.help(f.parser(), f)
			return 0
		}
	}
	known := 0
	for known < len(words) && len(below(words[:known+1])) > 0 {
		known++
	}
	name := strings.Join(append([]string{"devicectl"}, words[:known]...), " ")
	if known < len(words) {
		return swiftargs.Command{Name: name, Usage: "<subcommand>"}.Report(c.Stderr, swiftargs.Refuse("Unexpected argument '%s'",
			words[known]))
	}
	fmt.Fprintf(c.Stdout, "USAGE: %s <subcommand>\n\nSUBCOMMANDS:\n", name)
	for _, f := range below(words[:known]) {
		fmt.Fprintf(c.Stdout, "  %-28s %s\n", f.words, f.summary)
	}
	fmt.Fprintf(c.Stdout, "\n  See 'devicectl help <subcommand>' for detailed help.\n")
	return 0
}

// below lists the commands that begin with some words.
func below(words []string) (all []command) {
	for _, f := range commands() {
		if have := strings.Fields(f.words); len(have) > len(words) && slices.Equal(have[:len(words)], words) {
			all = append(all, f)
		}
	}
	return all
}

func (c *call) help(p swiftargs.Command, f command) {
	fmt.Fprintf(c.Stdout, "OVERVIEW: %s\n\nUSAGE: %s %s\n", f.summary, p.Name, p.Usage)
}

// answer is the result of a command.
type answer struct {
	result object
	err    error
}

func (c *call) play(ctx context.Context, f command) answer {
	if f.device {
		var err error
		if c.device, err = c.world.FindPhysical(c.args.Value("--device")); err != nil {
			return answer{err: noDevice(c.args.Value("--device"))}
		}
	}
	result, err := f.run(ctx, c)
	return answer{result, err}
}

// finish prints the output and returns the exit status.
func (c *call) finish(f command, a answer) int {
	exit, outcome, broken := 0, "success", failureOf(a.err)
	if broken != nil {
		exit, outcome = exitFailed, "failed"
		fmt.Fprint(c.Stderr, broken.text())
	}
	document := object{"info": object{
		"arguments": array(append([]string{"devicectl"}, c.Args...)), "commandType": "devicectl." + strings.ReplaceAll(f.words, " ", "."),
		"environment": c.environment(), "jsonVersion": c.jsonVersion, "outcome": outcome, "version": version,
	}}
	if broken != nil {
		document["error"] = broken.json()
	} else {
		document["result"] = a.result
	}
	if err := c.write(applejson.Style{}.Encode(document)); err != nil {
		fmt.Fprint(c.Stderr, failureOf(err).text())
		return exitFailed
	}
	return exit
}

// write writes the JSON to the requested place.
func (c *call) write(text string) error {
	switch to := c.args.Value("--json-output"); to {
	case "":
		return nil
	case "-", "/dev/stdout":
		_, err := io.WriteString(c.Stdout, text)
		return err
	default:
		return os.WriteFile(c.Path(to), []byte(text), 0o644)
	}
}

// environment is the "environment" part of the JSON.
func (c *call) environment() object {
	out := object{}
	if term := c.Env["TERM"]; term != "" {
		out["TERM"] = term
	}
	return out
}

// say prints text unless --quiet is set.
func (c *call) say(format string, args ...any) {
	if !c.args.Has("--quiet") {
		fmt.Fprintf(c.Stdout, format, args...)
	}
}

func array[T any](items []T) []any {
	out := []any{}
	for _, item := range items {
		out = append(out, item)
	}
	return out
}
