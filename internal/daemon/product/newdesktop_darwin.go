package product

import (
	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/macax"
)

// NewDesktop is where programs of macOS show windows.
func NewDesktop() desktop.Desktop { return macax.New(macax.Options{}) }
