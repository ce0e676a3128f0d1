package workflow

import (
	"context"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// tools are a small family: a tool in two groups, and one that is called like a word of a task.
func tools() []op.Op {
	nothing := func(name string, groups ...string) op.Op {
		return op.New(op.Spec{Name: name, Family: "xcode", Groups: groups, Summary: "Do " + name, Route: op.None},
			func(_ context.Context, _ *op.Call, _ struct{}) (struct{}, error) { return struct{}{}, nil })
	}
	return []op.Op{nothing("boot_sim", "simulator", "simulator-management"), nothing("list_schemes", "project-discovery"),
		nothing("start_sim_log_cap", "logging")}
}

func TestBestChoosesGroupByTaskWords(t *testing.T) {
	d := &discovery{family: tools}
	for task, want := range map[string]string{
		"run my app on an iPhone simulator":       "simulator",
		"erase everything and set the location":   "simulator-management",
		"deploy to real hardware by cable":        "device",
		"read what the app prints to the console": "logging",
		"set a breakpoint and show the backtrace": "debugging",
		"which schemes are there":                 "project-discovery",
		"how much is covered by tests":            "coverage",
		"call list_schemes on my mac":             "project-discovery", // a tool's name settles it
		" swift-package ":                         "swift-package",     // and so does a group's
		"":                                        "",
		"bake a cake":                             "",
	} {
		got, ok := d.best(task)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t; want %q", task, got, ok, want)
		}
	}
}

func TestDiscoverRemembersGroupsOfASessionOnRequest(t *testing.T) {
	d := &discovery{family: tools, found: map[string][]string{}}
	for _, c := range []struct {
		session, task string
		additive      bool
		want, tools   string
	}{
		{"a", "logging", false, "logging", "xcode_start_sim_log_cap"},
		{"a", "simulator", true, "logging simulator", "xcode_boot_sim xcode_start_sim_log_cap"},
		{"b", "project-discovery", true, "project-discovery", "xcode_list_schemes"},
		{"a", "logging", true, "simulator logging", "xcode_boot_sim xcode_start_sim_log_cap"}, // the new one is last
		{"a", "coverage", false, "coverage", ""},
	} {
		out, err := d.discover(t.Context(), &op.Call{Session: c.session}, discoverToolsIn{Task: c.task, Additive: c.additive})
		var names []string
		for _, tool := range out.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(out.Groups, " "); err != nil || got != c.want || strings.Join(names, " ") != c.tools {
			t.Errorf("%s in session %s: groups %q, tools %q, %v; want %q, %q", c.task, c.session, got, names, err, c.want, c.tools)
		}
	}
}

func TestDiscoverRefusesATaskThatNoGroupFits(t *testing.T) {
	d := &discovery{family: tools, found: map[string][]string{}}
	_, err := d.discover(t.Context(), &op.Call{}, discoverToolsIn{Task: "bake a cake"})
	if f := fault.From(err); f.Code != fault.InvalidInput || !strings.Contains(f.Hint, "coverage, debugging, device") {
		t.Errorf("got %v, hint %q; want an invalid input whose hint lists the groups", err, f.Hint)
	}
}
