package pool

import (
	"context"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// SameOS reports whether a device's system, such as "iOS 18.2", is what was asked for: "18", "18.2" or "iOS 18.2". A version
// stands for all that begin with its numbers, and 18 is not 180.
func SameOS(has, asked string) bool {
	hasPlatform, hasVersion := splitOS(has)
	platform, version := splitOS(asked)
	if platform != "" && !strings.EqualFold(platform, hasPlatform) || version == "" {
		return false
	}
	return hasVersion == version || strings.HasPrefix(hasVersion, version+".") && !strings.HasSuffix(version, ".")
}

func splitOS(s string) (platform, version string) {
	s = strings.TrimSpace(s)
	at := strings.IndexAny(s, "0123456789")
	if at < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[:at]), s[at:]
}

// State asks for the state a device is in now.
func (p *Pool) State(ctx context.Context, udid string) (string, error) {
	infos, err := p.List(ctx)
	if err != nil {
		return "", err
	}
	for _, i := range infos {
		if i.UDID == udid {
			return i.State, nil
		}
	}
	return "", fault.New(fault.DeviceNotFound, "no device has the udid %q", udid)
}

// briefly names a device as a person would tell it from its neighbours.
func briefly(infos []device.Info) string {
	names := make([]string, len(infos))
	for i, d := range infos {
		names[i] = d.Name + " (" + d.UDID[:min(8, len(d.UDID))] + ")"
	}
	return strings.Join(names, ", ")
}
