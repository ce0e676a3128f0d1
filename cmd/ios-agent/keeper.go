package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/xcode/debugger"
)

// keepDebugger is the first argument of the process between a daemon and a debugger. Only the daemon starts it; it is not a command for
// people.
const keepDebugger = "keep-debugger"

// keeperCommand is how the daemon starts one; nil where the program's own file is unknown.
func keeperCommand() []string {
	binary, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{binary, keepDebugger}
}

// keep runs a keeper, if that is what was called.
func keep(argv []string) (exit int, kept bool) {
	if len(argv) < 2 || argv[1] != keepDebugger {
		return 0, false
	}
	// It ends with its input. A signal to all processes of ios-agent must not reach the debugged program.
	signal.Ignore(syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	k, err := debugger.ParseKeep(argv[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return fault.ExitInternal, true
	}
	h, err := host.New(host.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return fault.ExitInternal, true
	}
	return k.Run(h, os.Stdin, os.Stdout, os.Stderr), true
}
