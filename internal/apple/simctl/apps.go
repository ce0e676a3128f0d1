package simctl

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"howett.net/plist"
)

// App is one installed app, as `simctl listapps` tells it.
type App struct {
	Bundle      string `plist:"CFBundleIdentifier"`
	Name        string `plist:"CFBundleName"`
	DisplayName string `plist:"CFBundleDisplayName"`
	Executable  string `plist:"CFBundleExecutable"`
	Version     string `plist:"CFBundleVersion"`
	Type        string `plist:"ApplicationType"` // User or System
	Path        string `plist:"Path"`
	Data        string `plist:"DataContainer"` // file URL; empty for some apps of the system
}

// DataPath is where the app keeps its files.
func (a App) DataPath() string {
	u, err := url.Parse(a.Data)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return u.Path
}

// Apps lists what is installed on a booted device, by bundle id.
func (t Tool) Apps(ctx context.Context, udid string) ([]App, error) {
	r, err := t.on(ctx, udid, call{args: []string{"listapps", udid}, timeout: ListTimeout, maxOutput: maxList})
	if err != nil {
		return nil, err
	}
	return ParseApps(r.Stdout)
}

// ParseApps reads the property list that `simctl listapps` prints, in the old style or any other.
func ParseApps(b []byte) ([]App, error) {
	var byID map[string]App
	if _, err := plist.Unmarshal(b, &byID); err != nil {
		return nil, fmt.Errorf("simctl listapps: %w", err)
	}
	apps := make([]App, 0, len(byID))
	for id, a := range byID {
		if a.Bundle == "" {
			a.Bundle = id
		}
		apps = append(apps, a)
	}
	slices.SortFunc(apps, func(a, b App) int { return strings.Compare(a.Bundle, b.Bundle) })
	return apps, nil
}
