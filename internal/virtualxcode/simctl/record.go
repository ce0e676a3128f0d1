package simctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ios-agent/internal/virtualxcode/world"
)

// recordVideo records the screen until an interrupt. The movie has two frames: the first and the last screen.
func (c *call) recordVideo(ctx context.Context, d world.Device) error {
	given, err := c.options(map[string]option{"--codec": valued, "--display": valued, "--mask": valued, "--force": flag})
	if err != nil {
		return err
	}
	file, err := c.last()
	if err != nil {
		return err
	}
	_, force := given["--force"]
	if err := c.free(file, force); err != nil {
		return err
	}
	first, err := c.picture(ctx, d)
	if err != nil {
		return err
	}
	begun := c.world.Now()
	fmt.Fprintln(c.Stderr, "Recording started")
	<-ctx.Done()
	fmt.Fprintln(c.Stderr, "Recording completed. Writing to disk.")
	last, err := c.picture(context.WithoutCancel(ctx), d)
	if err != nil { // the device was shut down meanwhile
		last = first
	}
	m := movie{width: int(d.Screen.Width * d.Screen.Scale), height: int(d.Screen.Height * d.Screen.Scale),
		frames: [][]byte{first, last}, length: c.world.Now().Sub(begun)}
	if err := c.write(file, m.encode()); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "Wrote video to: %s\n", file)
	return nil
}

// free refuses to overwrite a file without --force.
func (c *call) free(file string, force bool) error {
	_, err := os.Stat(c.Path(file))
	if force || file == "-" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &world.Error{Domain: "NSPOSIXErrorDomain", Code: 17,
		Message: "The file already exists, use --force to overwrite it: " + file}
}
