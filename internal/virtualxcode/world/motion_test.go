package world_test

import (
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

// TestSimulatedCostsDoNotChange: who changes what things cost makes every earlier comparison with other programs worthless.
func TestSimulatedCostsDoNotChange(t *testing.T) {
	if got := world.Costs(); got != "a tap 50ms, a typed character 10ms, reading a tree nothing" {
		t.Errorf("costs are %s", got)
	}
}
