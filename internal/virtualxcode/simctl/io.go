package simctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/world"
)

func deviceIO(ctx context.Context, c *call) error {
	d, err := c.device()
	if err != nil {
		return err
	}
	operation, err := word(c, map[string]func(*call, context.Context, world.Device) error{
		"enumerate": (*call).enumerate, "recordVideo": (*call).recordVideo, "screenshot": (*call).screenshot,
	})
	if err != nil {
		return err
	}
	return operation(c, ctx, d)
}

// enumerate lists the ports of a device; it has only the display.
func (c *call) enumerate(_ context.Context, d world.Device) error {
	if err := c.end(); err != nil {
		return err
	}
	if _, err := c.world.Foreground(d.UDID); err != nil {
		return err
	}
	s := d.Screen
	fmt.Fprintf(c.Stdout, "Port:\n    UUID: %s\n    Class: Display\n    Port Identifier: com.apple.framebuffer.display\n"+
		"    Power state: On\n    Display class: 0\n    Default width: %.0f\n    Default height: %.0f\n    Default pixel format: 'BGRA'\n",
		d.UDID, s.Width*s.Scale, s.Height*s.Scale)
	return nil
}

func (c *call) screenshot(ctx context.Context, d world.Device) error {
	kind, file, err := c.screenshotArgs()
	if err != nil {
		return err
	}
	picture, err := c.picture(ctx, d)
	if err != nil {
		return err
	}
	if kind == "" && strings.EqualFold(filepath.Ext(file), ".png") {
		fmt.Fprintln(c.Stderr, "Detected file type 'PNG' from extension")
	}
	if err := c.write(file, picture); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "Wrote screenshot to: %s\n", file)
	return nil
}

// screenshotArgs returns the requested type, or "", and the file. There is one display, and a mask has no effect.
func (c *call) screenshotArgs() (kind, file string, err error) {
	given, err := c.options(map[string]option{"--type": valued, "--mask": valued, "--display": valued})
	if err != nil {
		return "", "", err
	}
	if file, err = c.last(); err != nil {
		return "", "", err
	}
	kind = given["--type"]
	return kind, file, checkType(kind, file)
}

// checkType refuses formats other than PNG.
func checkType(kind, file string) error {
	asked := strings.ToLower(kind)
	if asked == "" {
		asked = strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	}
	if slices.Contains([]string{"tiff", "bmp", "gif", "jpeg", "jpg"}, asked) {
		return unsupported("screenshots of type " + asked)
	}
	return nil
}

func (c *call) picture(ctx context.Context, d world.Device) ([]byte, error) {
	scene, err := c.world.Scene(ctx, d.UDID)
	if err != nil {
		return nil, err
	}
	if scene.Root == nil {
		if _, err := c.world.Foreground(d.UDID); err != nil {
			return nil, err
		}
	}
	return render.PNG(scene)
}

func (c *call) write(file string, data []byte) error {
	if file == "-" {
		_, err := c.Stdout.Write(data)
		return err
	}
	err := os.WriteFile(c.Path(file), data, 0o644)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &world.Error{Domain: "NSPOSIXErrorDomain", Code: int(errno), Message: "Error creating the image: " + errno.Error()}
	}
	return err
}
