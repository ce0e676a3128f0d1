package config

import (
	"maps"
	"slices"

	"ios-agent/internal/apple/xcodeargs"
)

// Merged has a tool's completed arguments.
type Merged struct {
	Profile string           `json:"profile"` // label of the profile that gave the defaults
	Values  map[string]Value `json:"values"`
}

const extraArgs = "extraArgs"

// combiners combine the values of several layers, for keys with more than one entry.
var combiners = map[string]func(under, over Value) Value{
	"env":     combineEnv,
	extraArgs: combineArgs,
}

func combineEnv(under, over Value) Value {
	below, above := under.Value.(map[string]string), over.Value.(map[string]string)
	joined := maps.Clone(below)
	maps.Copy(joined, above)
	over.Value = joined
	if slices.ContainsFunc(slices.Collect(maps.Keys(below)), func(name string) bool { _, ours := above[name]; return !ours }) {
		over.With = []Origin{under.Origin}
	}
	return over
}

// combineArgs combines lists of options: an empty list clears the default; otherwise the caller's options replace the same options below.
func combineArgs(under, over Value) Value {
	explicit := over.Value.([]string)
	if len(explicit) == 0 {
		return over
	}
	if left := xcodeargs.Unlike(under.Value.([]string), explicit); len(left) > 0 {
		over.Value = append(left, explicit...)
		over.With = []Origin{under.Origin}
	}
	return over
}
