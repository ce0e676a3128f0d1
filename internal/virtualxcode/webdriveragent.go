package virtualxcode

import "ios-agent/internal/virtualxcode/wda"

// WDA is a virtual WebDriverAgent.
type WDA = wda.Server

// NewWDA makes a WebDriverAgent for a device, like one started without our tools. Its Serve and Listen accept the connections.
func NewWDA(w *World, udid string) *WDA { return wda.New(wda.Options{World: w, UDID: udid}) }
