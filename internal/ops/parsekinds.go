package ops

import (
	"ios-agent/internal/apple/parse"
	"ios-agent/internal/apple/parse/kinds"
	"ios-agent/internal/ui/uiread"
)

// parseKinds are the outputs of other tools that `parse` reads.
func parseKinds() parse.Kinds { return append(parse.Kinds{uiread.Kind()}, kinds.All()...) }
