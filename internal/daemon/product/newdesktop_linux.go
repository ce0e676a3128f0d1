package product

import (
	"log/slog"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/atspi"
	"ios-agent/internal/machine/host"
)

// NewDesktop is where programs of Linux show windows.
func NewDesktop(log *slog.Logger, _ *host.Host) desktop.Desktop {
	return atspi.New(atspi.Options{Log: log})
}
