//go:build novirtual

package main

import (
	"context"
	"net"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/home"
)

// hasVirtual reports whether this binary has Virtual Xcode.
const hasVirtual = false

// play plays none of Apple's tools.
func play([]string) (exit int, played bool) { return 0, false }

func virtualToolchain(home.Home) (apple.Toolchain, error) { return apple.Toolchain{}, noVirtual() }

func virtualUsbmux(home.Home) func(context.Context) (net.Conn, error) { return nil }

func virtualInside(string) (answers, variables []string) { return nil, nil }

func virtualLeft(context.Context, home.Home) string { return "" }

func (p *program) virtualCommand() *cobra.Command {
	return refusing("virtual", "Virtual Xcode, which this binary was built without")
}

func (p *program) demoCommand() *cobra.Command {
	return refusing("demo", "See it work on a virtual device, which this binary was built without")
}

// virtualVariables are the variables of Virtual Xcode.
func virtualVariables() []string { return nil }

// refusing is a command that says what this binary lacks, whatever it is given.
func refusing(name, short string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return noVirtual() }}
}
