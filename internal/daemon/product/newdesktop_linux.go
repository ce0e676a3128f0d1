package product

import (
	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/atspi"
)

// NewDesktop is where programs of Linux show windows.
func NewDesktop() desktop.Desktop { return atspi.New(atspi.Options{}) }
