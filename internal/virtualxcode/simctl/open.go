package simctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/world"
)

func openurl(ctx context.Context, c *call) error {
	d, address, err := c.bootedAnd()
	if err != nil {
		return err
	}
	return c.world.OpenURL(ctx, d.UDID, address)
}

// maxPayload is the maximum size of a notification.
const maxPayload = 4096

func push(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	bundle := ""
	if len(c.Args) == 2 {
		bundle, _ = c.take()
	}
	file, err := c.take()
	if err != nil {
		return err
	}
	data, err := c.read(file)
	if err != nil {
		return err
	}
	if bundle, err = checkPayload(data, bundle); err != nil {
		return err
	}
	if err := c.world.SendPush(ctx, d.UDID, bundle, string(data)); err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "Notification sent to '%s'\n", bundle)
	return nil
}

// checkPayload refuses payloads that APNs would refuse; it returns the target app of the payload.
func checkPayload(data []byte, bundle string) (string, error) {
	var payload map[string]json.RawMessage
	if err := json.Unmarshal(data, &payload); err != nil {
		return "", refused("Invalid JSON in push payload: %v", err)
	}
	if len(data) > maxPayload {
		return "", refused("The push payload is too large: %d bytes, the most is %d.", len(data), maxPayload)
	}
	if payload["aps"] == nil {
		return "", refused("Invalid push payload: the dictionary must have the key \"aps\".")
	}
	if bundle == "" {
		_ = json.Unmarshal(payload["Simulator Target Bundle"], &bundle)
	}
	if bundle == "" {
		return "", refused("Invalid push payload: it must have the key \"Simulator Target Bundle\", or a bundle identifier must be given.")
	}
	return bundle, nil
}

// refused is a bare message for unusable arguments.
func refused(format string, args ...any) error {
	return &world.Error{Code: exitUsage, Message: fmt.Sprintf(format, args...)}
}

// read reads a file from the command line, or standard input.
func (c *call) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.Stdin)
	}
	data, err := regularfile.Read(c.Path(name), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noFile(name)
	}
	return data, err
}

const maxFile = 256 << 20 // maximum size of such a file in bytes

func noFile(name string) error {
	return &world.Error{Domain: "NSPOSIXErrorDomain", Code: 2, Message: "The operation couldn’t be completed. No such file or " +
		"directory\n" + name}
}

func mediaTypes() []string {
	return []string{".jpg", ".jpeg", ".png", ".gif", ".heic", ".tiff", ".mov", ".mp4", ".m4v", ".vcf"}
}

// addmedia copies files into the photo library, under names like a camera's.
func addmedia(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	if len(c.Args) == 0 {
		return errUsage
	}
	for _, name := range c.Args {
		if err := c.addFile(ctx, d, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) addFile(ctx context.Context, d world.Device, name string) error {
	ext := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(mediaTypes(), ext) {
		return refused("Unsupported file type: %s", name)
	}
	data, err := c.read(name)
	if err != nil {
		return err
	}
	return c.world.AddMedia(ctx, d.UDID, ext, data)
}
