package usbmux

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/fault"
)

const installationProxy = "com.apple.mobile.installation_proxy"

// LogName is the name of the app's executable, from installation_proxy.
func (h *handset) LogName(ctx context.Context, bundleID string) (string, error) {
	app, err := h.driver.Mux.app(ctx, h.info.UDID, bundleID)
	if err != nil {
		return "", err
	}
	if app == nil {
		return "", fault.New(fault.AppNotFound, "%.200s is not installed on %s", bundleID, h.info.Name)
	}
	return text(app, "CFBundleExecutable"), nil
}

// app returns the device's facts about an installed app; nil if no app has this bundle id.
func (m *Mux) app(ctx context.Context, udid, bundleID string) (map[string]any, error) {
	c, err := m.Service(ctx, udid, installationProxy)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	_ = c.SetDeadline(time.Now().Add(patience))
	err = tell(c, map[string]any{"Command": "Lookup", "ClientOptions": map[string]any{
		"BundleIDs": []string{bundleID}, "ReturnAttributes": []string{"CFBundleIdentifier", "CFBundleExecutable"},
	}})
	if err != nil {
		return nil, because(ctx, err)
	}
	answer, err := hear(c)
	if err != nil {
		return nil, because(ctx, err)
	}
	if why := text(answer, "Error"); why != "" {
		return nil, fmt.Errorf("installation_proxy of %s refused: %.80q", udid, why)
	}
	found, _ := answer["LookupResult"].(map[string]any)
	app, _ := found[bundleID].(map[string]any)
	return app, nil
}
