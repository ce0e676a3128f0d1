package world

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// AddMedia puts a file into a booted device's photo library, under a name like a camera's. ext is its extension, such as ".png".
func (w *World) AddMedia(ctx context.Context, udid, ext string, data []byte) error {
	return w.act(ctx, udid, 0, func(d *device, now time.Time) error {
		name := fmt.Sprintf("IMG_%04d%s", len(d.Settings.Media)+1, strings.ToUpper(ext))
		file := filepath.Join(w.describe(d, now).DataPath, "Media/DCIM/100APPLE", name)
		if err := w.write(file, data); err != nil {
			return err
		}
		d.Settings.Media = append(d.Settings.Media, file)
		return nil
	})
}

// write writes a file below Root, in a world with files.
func (w *World) write(file string, data []byte) error {
	if !w.files {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("file of a device: %w", err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("file of a device: %w", err)
	}
	return nil
}
