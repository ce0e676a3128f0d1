package product

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/view/xcode"
	"ios-agent/internal/surface/mcp"
)

// wanted are the tools of a set with workflows that are listed at first, and the mistakes in the request. A request for unknown workflows
// only counts as empty: a server without tools helps nobody.
func (how Serving) wanted(all []mcp.Tool, d *mcp.Discovery) (tools []mcp.Tool, mistakes []string) {
	words := strings.FieldsFunc(how.Workflows, func(r rune) bool { return r == ',' || r == ' ' })
	known := 0
	for _, word := range words {
		switch {
		case slices.Contains(lacking, word):
		case slices.ContainsFunc(all, func(t mcp.Tool) bool { return within(t, word) }):
			known++
		default:
			mistakes = append(mistakes, unknownWorkflow(all, word))
		}
	}
	if known == 0 && !how.Dynamic {
		return all, mistakes
	}
	if known == 0 {
		words = []string{xcode.DiscoverProjs.Name}
	}
	for _, t := range all {
		own := t.Op.Family == op.Core || t.Name == d.Tool // what belongs to the set whatever is wished
		if own || slices.ContainsFunc(words, func(word string) bool { return within(t, word) }) {
			tools = append(tools, t)
		}
	}
	return tools, mistakes
}

func within(t mcp.Tool, word string) bool {
	return slices.Contains(t.Op.Groups, word) || t.Name == strings.ReplaceAll(word, "-", "_")
}

func unknownWorkflow(all []mcp.Tool, word string) string {
	var known []string
	for _, t := range all {
		known = append(known, t.Op.Groups...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if near := nearest.To(word, known, 1); len(near) > 0 {
		return fmt.Sprintf("unknown workflow %.60q; did you mean %q?", word, near[0])
	}
	return fmt.Sprintf("unknown workflow %.60q; the workflows are: %s", word, strings.Join(known, ", "))
}

var toolNames = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`)

// onlyOf is a text without the lines that name a tool which is not there.
func onlyOf(c *op.Catalogue, tools []mcp.Tool, text string) string {
	if text == "" {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		missing := slices.ContainsFunc(toolNames.FindAllString(line, -1), func(name string) bool {
			_, err := c.Lookup(name)
			return err == nil && !slices.ContainsFunc(tools, func(t mcp.Tool) bool { return t.Name == name })
		})
		if !missing {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
