// Package xctrace lists devices by `xcrun xctrace list devices`. Its Device has fewer facts than devicectl's, but the command also works
// where devicectl does not answer.
package xctrace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/apple/lines"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/lazyregexp"
)

// ListTimeout is the limit for a machine under load: Instruments takes seconds to find its devices.
const ListTimeout = time.Minute

// Device is a physical device.
type Device struct {
	Name    string
	Version string // of its system, without the platform: 18.5
	UDID    string
	Offline bool // known, but not connected
}

// Tool runs xctrace. Its errors come from host.Run.
type Tool struct {
	Run   host.Runner
	Xcrun string // path or name of xcrun
}

// List lists the physical devices this Mac knows.
func (t Tool) List(ctx context.Context) ([]Device, error) {
	r, err := t.Run.Run(ctx, host.Cmd{Name: t.Xcrun, Args: []string{"xctrace", "list", "devices"}, Timeout: ListTimeout})
	if err != nil {
		return nil, fmt.Errorf("xctrace list devices: %w", err)
	}
	return Read(r.Stdout), nil
}

var (
	section    = lazyregexp.New(`^== (.+) ==$`)
	deviceLine = lazyregexp.New(`^(.+) \(([0-9][0-9.]*)\) \(([0-9A-Fa-f-]{8,})\)$`)
)

// Read reads the list. It leaves out simulators, which have their own section, and the Mac, which has no version.
func Read(data []byte) []Device {
	var devices []Device
	where := ""
	for _, line := range lines.All(data) {
		line = strings.TrimSpace(line)
		if head := section.FindStringSubmatch(line); head != nil {
			where = head[1]
			continue
		}
		m := deviceLine.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(where, "Devices") {
			continue
		}
		devices = append(devices, Device{Name: m[1], Version: m[2], UDID: m[3], Offline: where != "Devices"})
	}
	return devices
}
