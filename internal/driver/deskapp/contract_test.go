package deskapp_test

import (
	"flag"
	"testing"

	"ios-agent/test/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract with an app in memory, which is the test process's own: it needs no installation and no launch.
func TestContract(t *testing.T) {
	s := newStand(t)
	rows := drivertest.RunOn(t, s.Device, drivertest.Stage{App: s.Device.Info().Name, Open: s.app.Show})
	drivertest.CheckMatrix(t, "../../../docs/support.md", "deskapp", rows, []drivertest.Substitute{
		{Abilities: []string{"apps", "launch and end apps", "console", "log", "log of before"},
			Does: "`ios-agent app launch` and `ios-agent app session`"},
		{Abilities: []string{"end processes"}, Does: "`ios-agent app session stop`"},
		{Does: "the app's own menus and windows"},
	}, *update)
}
