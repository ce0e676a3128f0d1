package mcp

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
)

// Tool is an operation under its name as a tool.
type Tool struct {
	Name string
	Op   op.Op
}

// The words that choose tools besides the names of families and groups.
const (
	Default = op.Core // the small default set
	All     = op.All
)

// Select chooses tools: "core" is the small default set, a family or a group all of its operations, "all" everything; several names are
// separated by commas. A group contains each operation once: it leaves out other families' copies of core operations. If two chosen
// operations share a name, the core operation keeps it, and the other gets a prefix.
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

// keepers are the families that keep a name which a core operation has too: the caller asked for the family by its name, and its tool
// differs from the core operation. Such a client means the family's tool.
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
	f := fault.New(fault.InvalidInput, "unknown tool set %q", word)
	if near := nearest.To(word, known, 1); len(near) > 0 {
		return f.WithHint("did you mean %q?", near[0])
	}
	return f.WithHint("tool sets: %s", strings.Join(known, ", "))
}
