// Package workflow offers the tool discover_tools, which finds the group of XcodeBuildMCP's tools for a task. New makes the tool over a
// family of operations; it compares the words of the task with the words of each group and asks no model.
package workflow

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/text/terms"
)

// discovery finds the group of tools for a task. It compares words, so that it works with every client and on every surface. An MCP
// server whose client offers a model asks the model first, and calls the tool with the name of the chosen group.
type discovery struct {
	family func() []op.Op

	mu    sync.Mutex
	found map[string][]string // groups, by session
}

// workflow is a group of tools with the words of tasks for it.
type workflow struct {
	is      string // purpose of the group
	words   string // words that hint at the group; the names of its tools do too
	decides string // words that decide for the group
}

// onScreen are the words that both groups of tools for the screen share.
const onScreen = "ui tap swipe type gesture button press touch screen screenshot element automate automation interact accessibility"

var workflows = map[string]workflow{
	"simulator": {"build, run, test and inspect apps on simulators",
		"iphone ipad ios app run build launch install test boot watch tv vision", "simulator sim"},
	"simulator-management": {"boot, erase and set up simulators: location, appearance, status bar",
		"simulator coordinates appearance dark light status bar network manage boot", "erase reset location gps statusbar"},
	"device": {"build, run and test apps on physical devices", "device phone iphone ipad app run test deploy provisioning",
		"physical hardware real usb cable"},
	"macos":   {"build, run and test macOS apps", "desktop", "mac macos"},
	"logging": {"capture what apps log and print", "output print debug trace stream", "log console oslog os_log capture"},
	"debugging": {"attach a debugger: breakpoints, stacks, variables, steps", "debug stop line variable stack frame value crash attach pause",
		"debugger breakpoint lldb backtrace step"},
	"project-discovery": {"find projects, schemes, build settings and bundle ids",
		"discover find project workspace identifier inspect list", "scheme settings bundle"},
	"project-scaffolding": {"write new iOS and macOS projects", "new create start template generate project", "scaffold scratch"},
	"swift-package":       {"build, test and run Swift packages", "swift library server command line cli executable", "package spm swiftpm"},
	"ui-testing":          {"look at the screen and act on it, by frames", onScreen, "describe"},
	"ui-automation":       {"look at the screen and act on it, by elements", onScreen, "snapshot wait drag"},
	"utilities":           {"remove build products", "derived data", "clean cleanup"},
	"doctor": {"find out what is installed and what works", "environment broken installed version setup check",
		"doctor diagnose diagnostics"},
	"coverage": {"read the code coverage of tests", "lines report", "coverage covered uncovered"},
}

// Purposes are the groups of tools that discover_tools finds, each with its purpose.
func Purposes() map[string]string {
	all := map[string]string{}
	for name, w := range workflows {
		all[name] = w.is
	}
	return all
}

// New is the tool discover_tools with the given spec, over the tools of a family.
func New(spec op.Spec, family func() []op.Op) op.Op {
	d := &discovery{family: family, found: map[string][]string{}}
	return op.New(spec, d.discover)
}

// discoverToolsIn describes a task.
type discoverToolsIn struct {
	Task     string `json:"task_description" doc:"the task, in a sentence" cli:"arg"`
	Additive bool   `json:"additive,omitempty" doc:"keep the groups found before"`
}

// discoveredTool is one tool of a group.
type discoveredTool struct {
	Name    string   `json:"name"` // the full name, which every surface accepts
	Inputs  []string `json:"inputs"`
	Summary string   `json:"summary"`
}

// discoverToolsOut is the group that fits and its tools.
type discoverToolsOut struct {
	Group  string           `json:"group"`
	Groups []string         `json:"groups"` // found in this session, the new one last
	Tools  []discoveredTool `json:"tools"`
	By     string           `json:"chosenBy"`
}

// Text is one line per tool.
func (o discoverToolsOut) Text() string {
	lines := []string{fmt.Sprintf("%s: %d tools, chosen by words", strings.Join(o.Groups, ", "), len(o.Tools))}
	for _, t := range o.Tools {
		lines = append(lines, fmt.Sprintf("%s(%s): %s", t.Name, strings.Join(t.Inputs, ", "), t.Summary))
	}
	return strings.Join(lines, "\n")
}

func (d *discovery) discover(_ context.Context, c *op.Call, in discoverToolsIn) (discoverToolsOut, error) {
	best, ok := d.best(in.Task)
	if !ok {
		return discoverToolsOut{}, fault.New(fault.InvalidInput, "no group of tools fits %.100q", in.Task).With("field", "task_description").
			WithHint("the groups are %s", strings.Join(slices.Sorted(maps.Keys(workflows)), ", "))
	}
	out := discoverToolsOut{Group: best, Groups: d.remember(c.Session, best, in.Additive), By: "words"}
	for _, o := range d.family() {
		if !slices.ContainsFunc(o.Groups, func(g string) bool { return slices.Contains(out.Groups, g) }) {
			continue
		}
		t := discoveredTool{Name: o.FullName(), Summary: o.Summary}
		for _, f := range o.Fields() {
			if f.Required && f.Default == "" {
				t.Inputs = append(t.Inputs, f.Name)
			} else {
				t.Inputs = append(t.Inputs, f.Name+"?")
			}
		}
		out.Tools = append(out.Tools, t)
	}
	return out, nil
}

// The scores of a word of a task.
const (
	hinted  = 2
	decided = 6
	named   = 20 // the name of a tool
)

func (d *discovery) best(task string) (string, bool) {
	if _, is := workflows[strings.TrimSpace(task)]; is {
		return strings.TrimSpace(task), true
	}
	words, scores := terms.Of(task), map[string]int{}
	for group, w := range workflows {
		for text, worth := range map[string]int{w.words: hinted, w.decides: decided} {
			for _, known := range terms.Of(text) {
				if slices.Contains(words, known) {
					scores[group] += worth
				}
			}
		}
	}
	for _, o := range d.family() {
		if strings.Contains(strings.ToLower(task), o.Name) && strings.Contains(o.Name, "_") {
			scores[o.Group()] += named
		}
	}
	if len(scores) == 0 {
		return "", false
	}
	groups := slices.Collect(maps.Keys(scores))
	return slices.MaxFunc(groups, func(a, b string) int {
		return cmp.Or(cmp.Compare(scores[a], scores[b]), cmp.Compare(rank(b), rank(a)), strings.Compare(b, a))
	}), true
}

// rank decides between groups of the same score: the most used group comes first.
func rank(group string) int {
	if i := slices.Index([]string{"simulator", "device", "macos", "ui-automation", "logging"}, group); i >= 0 {
		return i
	}
	return 9
}

// mostSessions is the maximum number of sessions whose groups are remembered.
const mostSessions = 1000

func (d *discovery) remember(session, group string, add bool) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var groups []string
	if add {
		groups = slices.DeleteFunc(d.found[session], func(g string) bool { return g == group })
	}
	groups = append(slices.Clone(groups), group)
	if len(d.found) >= mostSessions { // a session that loses its groups only has to discover them again
		clear(d.found)
	}
	d.found[session] = groups
	return groups
}
