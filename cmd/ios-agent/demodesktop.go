//go:build !novirtual

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/client/demo"
	"ios-agent/internal/desktop/display"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/surface/wording"
)

// demoPrograms are the programs that the desktop demo can drive, the best first.
var demoPrograms = []string{"gtk3-widget-factory", "gtk4-widget-factory", "mousepad", "gedit"}

// demoDesktopCommand drives a real program on a display that nobody sees.
func (p *program) demoDesktopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "desktop", Short: "See it drive a GTK program on a virtual display, with pictures before and after", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			runner, err := host.New(host.Options{})
			if err != nil {
				return err
			}
			defer runner.Close()
			screen, err := display.Start(c.Context(), runner)
			if err != nil {
				return err
			}
			defer screen.Close()
			program := ""
			for _, name := range demoPrograms {
				if program == "" && host.Installed(name) {
					program = name
				}
			}
			if program == "" {
				return display.Missing("one of " + strings.Join(demoPrograms, ", "))
			}
			for _, pair := range screen.Env() { // the client tells the daemon where its programs belong
				name, value, _ := strings.Cut(pair, "=")
				if err := os.Setenv(name, value); err != nil {
					return err
				}
			}
			h, err := home.Open()
			if err != nil {
				return err
			}
			tools, err := toolchainName()
			if err != nil {
				return err
			}
			client, err := clientOf(p.app.Catalogue, h, tools, "")
			if err != nil {
				return err
			}
			start := time.Now()
			fmt.Fprintf(os.Stdout, "A virtual display, %s: the same code drives the programs of your own desktop.\n", screen.Name)
			d := demo.Desktop{Caller: client, Program: program, Env: screen.Private(), Out: os.Stdout,
				Voice: wording.Shell(p.app.Catalogue)}
			if err := d.Run(c.Context()); err != nil {
				return err
			}
			fmt.Fprintf(os.Stdout, "\ndone in %.1f s\n", time.Since(start).Seconds())
			return nil
		},
	}
}
