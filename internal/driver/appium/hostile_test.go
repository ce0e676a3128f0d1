package appium_test

import (
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/appium"
	"ios-agent/test/hostileserver"
)

// TestCallsSurviveHostileAppiumServers: every call ends within its deadline, with a fault that names the device or the server, whether the
// server is hostile from the beginning or once there is a session.
func TestCallsSurviveHostileAppiumServers(t *testing.T) {
	for name, honest := range map[string]hostileserver.Honest{"all": nil, "but sessions": hostileserver.Sessions} {
		t.Run(name, func(t *testing.T) {
			hostileserver.Survives(t, hostileserver.WebDriver(), func(s *hostileserver.Server) device.Device {
				return appium.New(appium.Options{}).OpenThrough(hostileserver.Device, "http://"+hostileserver.At+":4723", s.Dial)
			}, honest)
		})
	}
}
