//go:build awaited

package house_test

import (
	"path/filepath"
	"testing"

	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// The tests here are of facts that another change mends: `make rows` runs them. Each loses its tag with that change.

// TestAwaitedPictureIsWrittenAgain: a line of the specification can be run twice.
func TestAwaitedPictureIsWrittenAgain(t *testing.T) {
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	out := filepath.Join(t.TempDir(), "out.png")
	for range 2 {
		if ran := h.CLI("a", "screenshot", "--out", out); ran.Exit != 0 {
			t.Errorf("exit %d: %s", ran.Exit, ran.Stderr)
		}
	}
}
