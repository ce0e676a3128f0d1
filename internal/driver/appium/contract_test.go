package appium_test

import (
	"flag"
	"testing"

	"ios-agent/internal/driver/appium"
	"ios-agent/test/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract of a touch screen through an Appium server in front of a virtual WebDriverAgent.
func TestContract(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	drivertest.CheckMatrix(t, "../../../docs/support.md", appium.Spec().Name, drivertest.Run(t, s.phone), drivertest.InsteadOfServer(),
		*update)
}
