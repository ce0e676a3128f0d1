// Command verifymac shows, on a Mac with Xcode, which parts of ios-agent work with Apple's own tools. It creates a simulator, drives our
// app Tour, the example of the SDK and some apps of Apple on it, deletes it, and ends with one page and one file to attach, whatever
// happened before. scripts/verify-mac builds and starts it.
//
//	scripts/verify-mac                      on a Mac
//	scripts/verify-mac --only PART,PART     some parts, and the steps that they need
//	scripts/verify-mac --device UDID        also a physical device
//	scripts/verify-mac --replay FILE        anywhere: takes the steps again, with the recorded tools and the recorded agent
//	scripts/verify-mac --talk FILE          anywhere: prints the messages to and from the agent
//
// With IOS_AGENT_TOOLCHAIN=virtual, or off a Mac with IOS_AGENT_VIRTUAL_PROFILE, it runs on Virtual Xcode, so that the run itself can be
// tested without a Mac.
//
// It exits with 0 when all steps that were tried hold, with 1 when a step fails, with 2 when something is missing that all steps need, and
// with 130 after ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
)

// The exit codes.
const (
	exitHolds       = 0
	exitFails       = 1
	exitRefused     = 2
	exitInterrupted = 130
)

// options are the command line.
type options struct {
	agent  string // path of ios-agent
	work   string // a folder that is removed at the end
	out    string // the folder of the file to attach
	home   string // of the daemon; empty: one of its own
	sdk    string // folder of the SDK for apps, with our apps
	only   string // keys of parts; empty: all
	device string // UDID of a physical device; empty: none
	replay string
	talk   string
}

func main() {
	if socket := os.Getenv(playerVariable); socket != "" && filepath.Base(os.Args[0]) != "verifymac" {
		os.Exit(playTool(socket, os.Args))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("verify-mac", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.agent, "agent", "", "path of ios-agent")
	flags.StringVar(&o.work, "work", "", "folder for temporary files; it is removed at the end")
	flags.StringVar(&o.out, "out", ".", "folder of the file to attach")
	flags.StringVar(&o.home, "home", "", "home of the daemon; its own by default")
	flags.StringVar(&o.sdk, "sdk", "", "folder of the SDK for apps, with the apps that are built and driven")
	flags.StringVar(&o.only, "only", "", "parts to try, separated by commas")
	flags.StringVar(&o.device, "device", "", "UDID of a physical device on a cable that is driven too")
	flags.StringVar(&o.replay, "replay", "", "a file that an earlier run wrote: compare instead of running")
	flags.StringVar(&o.talk, "talk", "", "a file that an earlier run wrote: print what was said with the agent")
	err := flags.Parse(args)
	if o.work != "" {
		defer os.RemoveAll(o.work)
	}
	code := exitRefused
	switch {
	case err != nil || flags.NArg() > 0 || o.agent == "" || o.work == "":
		err = errors.New("usage: scripts/verify-mac [--only PART,PART] [--device UDID] [--out FOLDER], or --replay FILE, or --talk FILE")
	case o.talk != "":
		code, err = printTalk(o, out)
	case o.replay != "":
		code, err = replay(ctx, o, out)
	default:
		code, err = verify(ctx, o, out)
	}
	if err != nil {
		fmt.Fprintln(errs, "verify-mac:", err)
		return exitRefused
	}
	return code
}

// verify checks the Mac, drives a simulator, and writes the page and the file.
func verify(ctx context.Context, o options, out io.Writer) (code int, err error) {
	t, err := newTrial(ctx, o, out)
	if err != nil {
		return exitRefused, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	parts, err := chosen(t.parts(), o.only)
	if err != nil {
		return exitRefused, err
	}
	t.check(ctx, parts)
	t.try(ctx, parts)
	interrupted := ctx.Err() != nil
	t.clear()
	t.gather()
	return t.tell(interrupted)
}

// onVirtual reports whether the run is demanded on Virtual Xcode.
func onVirtual() bool {
	name := os.Getenv("IOS_AGENT_TOOLCHAIN")
	return name == apple.Virtual || name == "" && runtime.GOOS != "darwin" && os.Getenv("IOS_AGENT_VIRTUAL_PROFILE") != ""
}

// toolchain is Apple's tools, or Virtual Xcode's if a test demands it.
func toolchain(ctx context.Context, tool *host.Host, o options, env []string) (apple.Toolchain, error) {
	if !onVirtual() {
		if runtime.GOOS != "darwin" {
			return apple.Toolchain{}, fmt.Errorf("this is %s: the simulators to verify with need macOS and Xcode. "+
				"`scripts/verify-mac --replay FILE` runs here, and IOS_AGENT_TOOLCHAIN=virtual takes Virtual Xcode", runtime.GOOS)
		}
		return apple.Toolchain{Name: apple.Xcode}, nil
	}
	found, err := tool.Run(ctx, host.Cmd{Name: o.agent, Args: []string{"virtual", "path", "--json"}, Env: env})
	if err != nil {
		return apple.Toolchain{}, err
	}
	var path struct{ Path string }
	if err := resultOf(found.Stdout, &path); err != nil {
		return apple.Toolchain{}, err
	}
	return apple.Toolchain{Name: apple.Virtual, Bin: path.Path}, nil
}
