package product

import (
	"log/slog"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/macax"
)

// NewDesktop is where programs of macOS show windows.
func NewDesktop(*slog.Logger) desktop.Desktop { return macax.New(macax.Options{}) }
