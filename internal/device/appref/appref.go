// Package appref finds an app of a device by its bundle id or its name, and checks the environment for a launch. BundleOf finds the app;
// Harmless refuses variables that a launch must not pass on to an app. The package never installs or launches an app.
package appref

import (
	"context"
	"strings"
	"unicode"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
)

// CheckApp refuses a text that is neither a bundle id nor an app name: a tool would read -x as an option.
func CheckApp(app string) error {
	name := strings.TrimSpace(app)
	if name != "" && name[0] != '-' && !strings.ContainsFunc(name, unicode.IsControl) && !strings.ContainsRune(name, '/') {
		return nil
	}
	return fault.New(fault.InvalidInput, "%.80q is not the bundle id or the name of an app", app).With("field", "bundle_id")
}

// IsBundle reports whether a text counts as a bundle id without a question to the device: bundle ids have dots, and names rarely do.
func IsBundle(what string) bool { return strings.Contains(what, ".") && CheckBundle(what) == nil }

// BundleOf finds an app by its bundle id or its name.
func BundleOf(ctx context.Context, h *pool.Handle, what string) (string, error) {
	if IsBundle(what) {
		return what, nil
	}
	inventory, err := device.As[device.Inventory](h.Device)
	if err != nil {
		return what, CheckBundle(what) // a device without a list of apps has no app names
	}
	apps, err := inventory.List(ctx)
	if err != nil {
		return "", err
	}
	var named, known []string
	for _, a := range apps {
		if a.Bundle == what {
			return what, CheckBundle(what)
		}
		if strings.EqualFold(a.Name, what) {
			named = append(named, a.Shown())
		}
		known = append(known, a.Shown(), a.Name)
	}
	switch len(named) {
	case 1:
		return named[0], CheckBundle(named[0])
	case 0:
		return "", meant(fault.New(fault.AppNotFound, "no app on %s has the bundle id or name %q", h.Info().Name, what), what, known)
	}
	return "", fault.New(fault.AppAmbiguous, "several apps on %s are called %q: %s", h.Info().Name, what, strings.Join(named, ", ")).
		With("candidates", named)
}

// Installed finds an installed app; a missing app is a fault. known is false on a device that cannot list its apps.
func Installed(ctx context.Context, h *pool.Handle, bundle string) (app device.App, known bool, err error) {
	inventory, err := device.As[device.Inventory](h.Device)
	if err != nil {
		return device.App{}, false, nil
	}
	apps, err := inventory.List(ctx)
	if err != nil {
		return device.App{}, false, err
	}
	var bundles []string
	for _, a := range apps {
		if a.Bundle == bundle {
			return a, true, nil
		}
		bundles = append(bundles, a.Shown())
	}
	return device.App{}, true, meant(fault.New(fault.AppNotFound, "%s is not installed on %s", bundle, h.Info().Name), bundle, bundles)
}

// meant adds similar app names to a fault.
func meant(f *fault.Fault, what string, known []string) *fault.Fault {
	if near := nearest.To(what, known, 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f
}

// Nearby adds similar installed apps to an error about an app that is not installed.
func Nearby(ctx context.Context, h *pool.Handle, bundle string, err error) error {
	if !fault.Is(err, fault.AppNotFound) {
		return err
	}
	if _, _, missing := Installed(ctx, h, bundle); fault.Is(missing, fault.AppNotFound) {
		return missing
	}
	return err
}

// CheckBundle refuses a text that is not a bundle id.
func CheckBundle(bundle string) error { return device.CheckBundle(bundle) }
