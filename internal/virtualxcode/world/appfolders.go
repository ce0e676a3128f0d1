package world

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/uuid"
)

// Containers are the folders of an app on a device.
type Containers struct {
	App    string // the .app folder
	Data   string
	Groups map[string]string // by id of the app group
}

// containers returns the paths of an app's folders, which may not exist.
func (w *World) containers(d *device, b *app.Bundle) Containers {
	at := func(kind, of string) string {
		return path.Join(w.folder(d), "data/Containers", kind, uuid.Of(d.UDID, kind, of))
	}
	c := Containers{App: path.Join(at("Bundle/Application", b.ID), b.Folder), Data: at("Data/Application", b.ID),
		Groups: map[string]string{}}
	for _, group := range b.Groups {
		c.Groups[group] = at("Shared/AppGroup", group)
	}
	return c
}

// Containers returns the folders of an app on a booted device. They exist, unless the world has no Root.
func (w *World) Containers(udid, bundle string) (c Containers, err error) {
	err = w.actNow(context.Background(), udid, func(d *device, _ time.Time) error {
		i := d.installed(bundle)
		if i == nil {
			return notInstalled(bundle)
		}
		c = w.containers(d, i.bundle)
		if !w.files {
			return nil
		}
		return c.fill(i.bundle)
	})
	return c, err
}

// fill creates missing folders.
func (c Containers) fill(b *app.Bundle) error {
	folders := []string{c.App, filepath.Join(c.Data, "Documents"), filepath.Join(c.Data, "Library/Preferences"),
		filepath.Join(c.Data, "tmp")}
	for _, group := range c.Groups {
		folders = append(folders, group)
	}
	for _, dir := range folders {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("container of %s: %w", b.ID, err)
		}
	}
	for name, data := range map[string][]byte{app.InfoFile: b.Info, app.UIFile: b.UI} {
		file := filepath.Join(c.App, name)
		if _, err := os.Stat(file); err == nil {
			continue
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fmt.Errorf("container of %s: %w", b.ID, err)
		}
	}
	return nil
}

// removeApp removes the .app folder of an app that is replaced; its data stays.
func (w *World) removeApp(d *device, b *app.Bundle) error {
	if !w.files {
		return nil
	}
	return os.RemoveAll(path.Dir(w.containers(d, b).App))
}

// removeContainers removes all folders of an app.
func (w *World) removeContainers(d *device, b *app.Bundle) error {
	if !w.files {
		return nil
	}
	if err := w.removeApp(d, b); err != nil {
		return err
	}
	return os.RemoveAll(w.containers(d, b).Data)
}
