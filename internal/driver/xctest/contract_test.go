package xctest_test

import (
	"flag"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract of a touch screen through processes, and keeps the support matrix true.
func TestContract(t *testing.T) {
	r := newRig(t)
	r.phone = r.driver.Open(r.info)
	r.must(r.phone.(device.Power).Boot(t.Context()))
	defer r.phone.Close()
	drivertest.CheckMatrix(t, "../../../docs/support.md", "xctest", drivertest.Run(t, r.phone), *update)
}
