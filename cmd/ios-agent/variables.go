package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/xcode/builder"
)

// ours begins the names of our variables.
const ours = "IOS_AGENT_"

// variables are all that a user may set: the one table of them.
func variables() []string {
	all := append([]string{
		home.Variable, toolchainVariable, SessionVariable, toolsVariable, outputVariable, recordVariable, replayVariable,
		idleVariable, jobVariable, agentWaitVariable, agentPortVariable, teamVariable, wdaVariable, prewarmVariable, implicitVariable,
		macrosVariable, passVariable, xcodebuild.PublicVariable, builder.SimulateVariable,
	}, virtualVariables()...)
	for _, k := range product.Keys() {
		for _, name := range k.Variables() {
			if strings.HasPrefix(name, ours) {
				all = append(all, name)
			}
		}
	}
	return all
}

// warnOfNames warns of variables whose names are nearly ios-agent's: a mistyped variable would be ignored silently. Other programs may have
// variables with the same prefix.
func warnOfNames(environ []string, to io.Writer) {
	var known []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		word, is := strings.CutPrefix(name, ours)
		if !is || strings.HasPrefix(name, mask.Prefix) {
			continue
		}
		if known == nil {
			known = variables()
		}
		if slices.Contains(known, name) {
			continue
		}
		var words []string
		for _, name := range known {
			words = append(words, strings.TrimPrefix(name, ours))
		}
		if near := nearest.To(word, words, 1); len(near) > 0 {
			fmt.Fprintf(to, "warning: unknown variable %s; did you mean %s%s?\n", name, ours, near[0])
		}
	}
}
