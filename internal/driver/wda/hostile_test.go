package wda_test

import (
	"context"
	"net"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/wda"
	"ios-agent/test/hostileserver"
)

// TestCallsSurviveHostileWebDriverAgents: every call ends within its deadline, with a fault that names the device or the server, whether
// the server is hostile from the beginning or once there is a session.
func TestCallsSurviveHostileWebDriverAgents(t *testing.T) {
	open := func(s *hostileserver.Server) *wda.Driver {
		return wda.New(wda.Options{
			URLs: map[string]string{hostileserver.Device.UDID: "http://" + hostileserver.At + ":8100"},
			Dial: func(ctx context.Context, _ string, _ int) (net.Conn, error) { return s.Dial(ctx) },
		})
	}
	for name, honest := range map[string]hostileserver.Honest{"all": nil, "but sessions": hostileserver.Sessions} {
		t.Run(name, func(t *testing.T) {
			hostileserver.Survives(t, hostileserver.WebDriver(), func(s *hostileserver.Server) device.Device {
				return open(s).Attach(hostileserver.Device)
			}, honest)
		})
	}
}
