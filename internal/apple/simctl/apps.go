package simctl

import (
	"context"
	"net/url"
)

// Apps lists what is installed on a booted device, by bundle id.
func (t Tool) Apps(ctx context.Context, udid string) ([]App, error) {
	r, err := t.on(ctx, udid, call{args: []string{"listapps", udid}, timeout: ListTimeout, maxOutput: maxList})
	if err != nil {
		return nil, err
	}
	return ParseApps(r.Stdout)
}

// DataPath is where the app keeps its files; simctl tells it as a URL.
func (a App) DataPath() string {
	u, err := url.Parse(a.Container)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return u.Path
}
