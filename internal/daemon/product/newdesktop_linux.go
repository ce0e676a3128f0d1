package product

import (
	"log/slog"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/atspi"
)

// NewDesktop is where programs of Linux show windows.
func NewDesktop(log *slog.Logger) desktop.Desktop { return atspi.New(atspi.Options{Log: log}) }
