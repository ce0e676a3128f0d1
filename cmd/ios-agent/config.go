package main

import (
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
)

// XcodeBuildMCP's variables, which choose among the tools of its set.
const (
	workflowsVariable = "XCODEBUILDMCP_ENABLED_WORKFLOWS"
	dynamicVariable   = "XCODEBUILDMCP_DYNAMIC_TOOLS"
)

// configured adds the settings of the project's files and the environment to the tools. The server starts with any settings: a mistake in a
// cloned file must not take the tools away, and every answer reports it.
func configured(how product.Serving, c *op.Catalogue, project config.Tools, getenv func(string) string) product.Serving {
	mistakes := slices.Clone(project.Mistakes)
	if how.Tools == "" {
		var known []string
		for _, set := range project.Sets {
			if _, err := mcp.Select(c.Ops(), set); err != nil {
				f := fault.From(err)
				mistakes = append(mistakes, config.KeyTools+": "+f.Message+"; "+f.Hint)
				continue
			}
			known = append(known, set)
		}
		how.Tools = strings.Join(known, ",")
	}
	if how.Tools == "" {
		how.Tools = mcp.Default
	}
	wanted := project.Workflows // the file comes before the environment, as there
	if len(wanted) == 0 {
		wanted = strings.Split(getenv(workflowsVariable), ",")
	}
	var words []string
	for _, word := range wanted {
		if tools, own := project.Custom[word]; own {
			words = append(words, tools...)
			continue
		}
		words = append(words, strings.TrimSpace(word))
	}
	how.Workflows = strings.Trim(strings.Join(words, ","), ",")
	how.Dynamic = slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(getenv(dynamicVariable)))
	for i := range mistakes {
		mistakes[i] = strings.ReplaceAll(mistakes[i], "\n", " ") // a path may have it
	}
	how.Mistakes = strings.Join(mistakes, "\n")
	return how
}
