package product

import (
	"log/slog"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/macax"
	"ios-agent/internal/machine/host"
)

// NewDesktop is where programs of macOS show windows.
func NewDesktop(_ *slog.Logger, h *host.Host) desktop.Desktop {
	return macax.New(macax.Options{Host: h})
}
