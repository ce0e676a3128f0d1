package virtualxcode

import "ios-agent/internal/virtualxcode/wda"

// WDA is a virtual WebDriverAgent.
type WDA = wda.Server

// NewWDA makes a WebDriverAgent for a device, as somebody would start it who does not use our tools. It serves what is given to its
// Serve or Listen.
func NewWDA(w *World, udid string) *WDA { return wda.New(wda.Options{World: w, UDID: udid}) }
