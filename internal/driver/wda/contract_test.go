package wda_test

import (
	"flag"
	"testing"

	"ios-agent/internal/driver/wda"
	"ios-agent/test/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract of a touch screen through a virtual WebDriverAgent, and keeps the support matrix true.
func TestContract(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	drivertest.CheckMatrix(t, "../../../docs/support.md", wda.Spec().Name, drivertest.Run(t, s.phone), drivertest.InsteadOfServer(), *update)
}
