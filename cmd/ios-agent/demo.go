//go:build !novirtual

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple"
	"ios-agent/internal/client/demo"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/virtualxcode"
)

// demoCommand walks through the main job. It always uses virtual devices; where they are not this machine's default it uses
// a home of its own, so that they stay apart from real work.
func (p *program) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "See it work: boot a virtual device, open an app, log in, take a picture", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			h, next, err := demoHome()
			if err != nil {
				return err
			}
			client, err := clientOf(p.app.Catalogue, h, apple.Virtual, "")
			if err != nil {
				return err
			}
			if err := virtualxcode.WriteApps(filepath.Join(h.Virtual(), "apps")); err != nil {
				return err
			}
			start := time.Now()
			fmt.Fprintln(os.Stdout, "A virtual iPhone: no Xcode needed, the same code that drives a real simulator.")
			d := demo.Demo{Caller: client, App: filepath.Join(h.Virtual(), "apps", "Shop.app"), Out: os.Stdout, Next: next,
				Voice: wording.Shell(p.app.Catalogue)}
			if err := d.Run(c.Context()); err != nil {
				return err
			}
			fmt.Fprintf(os.Stdout, "\ndone in %.1f s\n", time.Since(start).Seconds())
			return nil
		},
	}
	c.AddCommand(p.demoDesktopCommand())
	return c
}

func demoHome() (h home.Home, next string, err error) {
	h, err = home.Open()
	if err != nil {
		return h, "", err
	}
	name, err := toolchainName()
	next = programName()
	if err == nil && name != apple.Virtual {
		h = home.Home(filepath.Join(h.String(), "demo"))
		next = fmt.Sprintf("%s=%s %s=%s %s", home.Variable, h, toolchainVariable, apple.Virtual, next)
		err = os.MkdirAll(h.String(), 0o700)
	}
	return h, next, err
}

// programName is how to call this program again; what `go run` built is gone when it ends.
func programName() string {
	path, err := os.Executable()
	if err != nil || strings.Contains(path, string(filepath.Separator)+"go-build") {
		return "go run ./cmd/ios-agent"
	}
	return os.Args[0]
}
