package idb_test

import (
	"flag"
	"testing"

	"ios-agent/internal/driver/idb"
	"ios-agent/test/drivertest"
)

// updating reports whether docs/support.md is to be written: the flag is declared with the samples.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// TestContract drives the contract of a touch screen through a virtual idb_companion, and keeps the support matrix true.
func TestContract(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	drivertest.CheckMatrix(t, "../../../docs/support.md", idb.Spec().Name, drivertest.Run(t, s.phone), drivertest.InsteadOfServer(),
		updating())
}
