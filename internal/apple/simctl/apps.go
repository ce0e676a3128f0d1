package simctl

import (
	"context"
	"net/url"
	"path"
	"strings"
)

// Apps lists the installed apps of a booted device, by bundle id.
func (t Tool) Apps(ctx context.Context, udid string) ([]App, error) {
	r, err := t.on(ctx, udid, call{args: []string{"listapps", udid}, timeout: ListTimeout, maxOutput: maxList})
	if err != nil {
		return nil, err
	}
	return ParseApps(r.Stdout)
}

// Executable is the name of the app's program, and so of its process.
func (a App) Executable() string {
	if name, is := a.Info["CFBundleExecutable"].(string); is && name != "" {
		return name
	}
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(a.Path, "/")), ".app")
}

// DataPath is the folder of the app's files; simctl prints it as a URL.
func (a App) DataPath() string {
	u, err := url.Parse(a.Container)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return u.Path
}
