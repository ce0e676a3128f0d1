// Package catalogue is all operations of all families. A client makes it without services, to derive its surface; the daemon
// makes it with them, to run it.
package catalogue

import (
	"slices"

	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/internal/ops/view/quern"
	"ios-agent/internal/ops/view/strobe"
	"ios-agent/internal/ops/view/xcode"
)

// All lists the operations: our own, then the views of other families.
func All(s ops.Services) []op.Op {
	core := ops.New(s)
	return slices.Concat(quern.With(core.Ops()), quern.Ops(core), xcode.Ops(core), strobe.Ops(core))
}
