package devicectl

import (
	"context"
	"errors"
	"strings"

	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// refused turns devicectl's error into a fault of the given code. It asks whether the device is still connected instead of parsing the
// message.
func (h *handset) refused(ctx context.Context, err error, code fault.Code, what string) error {
	var no *ctl.Refusal
	var exit *host.ExitError
	if !errors.As(err, &no) && !errors.As(err, &exit) {
		return toolfault.New(err, code, what)
	}
	if gone := h.missing(ctx); gone != nil {
		return gone
	}
	if no == nil {
		return toolfault.New(err, code, what)
	}
	return fault.New(code, "%s on %s: %w", what, h.info.Name, no).With("domain", no.Reason.Domain).With("code", no.Reason.Code).
		WithHint("unlock the device, pair it and turn Developer Mode on; devicectl's reason is in the message")
}

// LaunchServices' error for an unknown bundle id. Newer versions of devicectl wrap it in their own error.
const (
	statusDomain = "NSOSStatusErrorDomain"
	noSuchApp    = -10814
)

// notLaunched is refused for a launch: an app that is not installed has its own fault.
func (h *handset) notLaunched(ctx context.Context, err error, bundleID string) error {
	var no *ctl.Refusal
	if errors.As(err, &no) && no.Has(statusDomain, noSuchApp) {
		return fault.New(fault.AppNotFound, "%s is not installed on %s", bundleID, h.info.Name).
			WithHint("install it first: %s", hint.Do("install_app", "app_path", "PATH.app", "udid", h.info.UDID))
	}
	return h.refused(ctx, err, fault.AppLaunchFailed, "launching "+bundleID)
}

// missing is a fault if devices are listed and this one is not among them.
func (h *handset) missing(ctx context.Context) error {
	infos, err := h.driver.List(ctx)
	if err != nil {
		return nil
	}
	var known []string
	for _, i := range infos {
		if i.Is(h.info.UDID) {
			return nil
		}
		known = append(known, i.Name, i.UDID)
	}
	f := fault.New(fault.DeviceNotFound, "no physical device has the udid %q", h.info.UDID)
	if near := nearest.To(h.info.UDID, known, 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f.WithHint("choose one of %s; %s lists the devices", strings.Join(known, ", "), hint.Do("list_devices"))
}
