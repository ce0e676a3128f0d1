package mcp

import (
	"context"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

func declare(family, name string, core bool, groups ...string) op.Op {
	return op.New(op.Spec{Family: family, Name: name, Groups: groups, Summary: "Do " + name, Default: core},
		func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
}

func TestSelectReturnsToolsOfNamedSets(t *testing.T) {
	ops := []op.Op{
		declare("core", "snapshot", true, "ui"), declare("core", "doctor", false, "system"),
		declare("quern", "snapshot", false, "ui"), declare("quern", "tail_logs", false, "logs", "debug"),
		declare("xcode", "build_sim", false, "simulator"),
	}
	for words, want := range map[string][]string{
		"core":         {"snapshot"},
		"quern":        {"snapshot", "tail_logs"},
		"core,quern":   {"snapshot", "quern_snapshot", "tail_logs"},
		"debug":        {"tail_logs"},
		"ui,simulator": {"snapshot", "build_sim"},
		"all":          {"snapshot", "doctor", "quern_snapshot", "tail_logs", "build_sim"},
	} {
		tools, err := Select(ops, words)
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v %v", words, names, err)
		}
	}
	if _, err := Select(ops, "querm"); !fault.Is(err, fault.InvalidInput) || fault.From(err).Hint != `did you mean "quern"?` {
		t.Errorf("%v", err)
	}
}

func TestSearchPrefersNames(t *testing.T) {
	ops := []op.Op{declare("core", "list_devices", true, "device"), declare("core", "tail_logs", false, "logs"),
		declare("core", "set_mock", false, "proxy")}
	found := newIndex(ops).search("mock logs")
	if len(found) != 2 || found[0].Name != "tail_logs" || found[1].Name != "set_mock" {
		t.Errorf("%v", found)
	}
	if len(newIndex(ops).search("zebra")) != 0 {
		t.Error("found nothing and said something")
	}
}
