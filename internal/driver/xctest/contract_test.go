package xctest_test

import (
	"flag"
	"testing"

	"ios-agent/internal/driver/xctest"
	"ios-agent/test/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract of a touch screen through programs, and keeps the support matrix true.
func TestContract(t *testing.T) {
	t.Parallel()
	r := newPrograms(t)
	drivertest.CheckMatrix(t, "../../../docs/support.md", xctest.Spec().Name, drivertest.Run(t, r.Phone), []drivertest.Substitute{
		{Abilities: []string{"end processes"}, Does: "`ios-agent terminate`, by the app"},
	}, *update)
}
