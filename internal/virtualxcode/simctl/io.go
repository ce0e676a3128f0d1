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
	d, operation, err := c.deviceAnd()
	if err != nil {
		return err
	}
	if operation != "screenshot" {
		return unsupported("io " + operation)
	}
	return c.screenshot(ctx, d)
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
		fmt.Fprintln(c.errout, "Detected file type 'PNG' from extension")
	}
	if err := c.write(file, picture); err != nil {
		return err
	}
	fmt.Fprintf(c.errout, "Wrote screenshot to: %s\n", file)
	return nil
}

// screenshotArgs are the type asked for, "" if none was, and the file.
func (c *call) screenshotArgs() (kind, file string, err error) {
	for len(c.args) > 0 && strings.HasPrefix(c.args[0], "--") {
		name, value, _ := strings.Cut(c.args[0], "=")
		c.args = c.args[1:]
		if name == "--" {
			break
		}
		// There is one display, and its corners are square under any mask.
		if name != "--type" && name != "--mask" && name != "--display" {
			return "", "", errUsage
		}
		if name == "--type" {
			kind = value
		}
	}
	if file, err = c.take(); err != nil {
		return "", "", err
	}
	return kind, file, checkType(kind, file)
}

// checkType refuses pictures other than PNG.
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
		_, err := c.out.Write(data)
		return err
	}
	err := os.WriteFile(c.path(file), data, 0o644)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &world.Error{Domain: "NSPOSIXErrorDomain", Code: int(errno), Message: "Error creating the image: " + errno.Error()}
	}
	return err
}
