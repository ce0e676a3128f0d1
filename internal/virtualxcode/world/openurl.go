package world

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
)

// systemSchemes are the schemes that iOS opens without an installed app.
func systemSchemes() []string {
	return []string{"http", "https", "mailto", "tel", "sms", "facetime", "maps", "shareddocuments", "photos-redirect", "prefs", "app-prefs"}
}

// OpenURL opens a URL on a booted device: in the app that declares its scheme, which comes to the front, or in the system, which only
// records it.
func (w *World) OpenURL(ctx context.Context, udid, address string) error {
	return w.act(ctx, udid, launchCost, func(d *device, now time.Time) error {
		if d.asksToOpen(address) {
			return nil
		}
		return d.open(address, now)
	})
}

// open opens a URL.
func (d *device) open(address string, now time.Time) error {
	bundle, found := d.follow(address, now)
	if !found {
		var err error
		if bundle, err = d.opener(address); err != nil {
			return err
		}
	}
	d.Settings.Opened = recorded(d.Settings.Opened, OpenedURL{URL: address, Bundle: bundle, Time: now.UTC().Round(0)})
	d.log(d.system("com.apple.SpringBoard", "Common", "Opened "+address))
	return nil
}

// opener opens a URL without a link in any app. It returns the app that declares the scheme, which comes to the front, or "" if the
// system opens the URL.
func (d *device) opener(address string) (bundle string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "", cannotOpen(address)
	}
	for _, i := range d.Apps {
		if i.bundle.Opens(u.Scheme) {
			_, err := d.launch(i.bundle.ID, LaunchOptions{})
			return i.bundle.ID, err
		}
	}
	if !slices.ContainsFunc(systemSchemes(), func(s string) bool { return strings.EqualFold(s, u.Scheme) }) {
		return "", cannotOpen(address)
	}
	return "", nil
}

// SendPush delivers a notification to an app on a booted device.
func (w *World) SendPush(ctx context.Context, udid, bundle, payload string) error {
	return w.act(ctx, udid, 0, func(d *device, now time.Time) error {
		if d.installed(bundle) == nil {
			return notInstalled(bundle)
		}
		d.Settings.Pushes = recorded(d.Settings.Pushes, Push{Bundle: bundle, Payload: payload, Time: now.UTC().Round(0)})
		d.log(d.system("com.apple.UserNotifications", "Push", "Received a notification for "+bundle))
		return nil
	})
}
