package mcp

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
)

// Tool is an operation under the name it is served by.
type Tool struct {
	Name string
	Op   op.Op
}

// The words that choose tools besides the names of families and groups.
const (
	Default = op.Core // the small default set
	All     = op.All
)

// Select chooses tools: "core" is the small default set, a family or a group all of its operations, "all" everything;
// several by commas. A group has each thing once: what our own family does there is not offered under other names too.
// A name that two chosen operations share stays with the core family's; the others are prefixed.
func Select(ops []op.Op, words string) ([]Tool, error) {
	chosen := map[int]bool{}
	ours := map[string]op.Op{}
	for _, o := range ops {
		if o.Family == op.Core {
			ours[o.Name] = o
		}
	}
	for word := range strings.SplitSeq(words, ",") {
		word = strings.TrimSpace(word)
		found := false
		for i, o := range ops {
			if o.Streams() || !fits(o, word) {
				continue
			}
			found = true
			if twin, has := ours[cmp.Or(o.Twin, o.Name)]; o.Family == op.Core || !has || !slices.Contains(twin.Groups, word) {
				chosen[i] = true
			}
		}
		if !found {
			return nil, unknownSet(ops, word)
		}
	}
	var tools []Tool
	names := map[string]int{}
	for i, o := range ops {
		if chosen[i] {
			tools = append(tools, Tool{o.Name, o})
			names[o.Name]++
		}
	}
	kept := keepers(tools, names, words)
	for i, t := range tools {
		family, is := kept[t.Name]
		if names[t.Name] > 1 && t.Op.Family != family && (is || t.Op.Family != op.Core) {
			tools[i].Name = t.Op.Family + "_" + t.Name
		}
	}
	return tools, nil
}

// keepers are the families that keep names which ours have too: a family that was asked for by its name, for a tool that does something
// else than ours of that name. Its clients mean their own by it.
func keepers(tools []Tool, names map[string]int, words string) map[string]string {
	kept := map[string]string{}
	for _, t := range tools {
		asked := slices.ContainsFunc(strings.Split(words, ","), func(w string) bool { return strings.TrimSpace(w) == t.Op.Family })
		if _, taken := kept[t.Name]; names[t.Name] > 1 && t.Op.Twin == op.None && asked && !taken && t.Op.Family != op.Core {
			kept[t.Name] = t.Op.Family
		}
	}
	return kept
}

func fits(o op.Op, word string) bool {
	switch word {
	case Default:
		return o.Default
	case All:
		return true
	}
	return o.Family == word || slices.Contains(o.Groups, word)
}

func unknownSet(ops []op.Op, word string) error {
	known := op.Sets(ops)
	f := fault.New(fault.InvalidInput, "there is no tool set %q", word)
	if near := nearest.To(word, known, 1); len(near) > 0 {
		return f.WithHint("did you mean %q?", near[0])
	}
	return f.WithHint("there are: %s", strings.Join(known, ", "))
}
