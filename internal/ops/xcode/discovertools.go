package xcode

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// discovery is XcodeBuildMCP's tool that finds tools. XcodeBuildMCP lets the client's model choose; ours chooses by
// words, so that it works with every client and on every surface.
type discovery struct {
	family func() []op.Op

	mu    sync.Mutex
	found map[string][]string // groups, by session
}

// onScreen are the words that both groups of tools for the screen have.
const onScreen = "ui tap swipe type gesture button press touch screen screenshot element automate automation interact accessibility"

// about are the words of a task that mean a group; a tool's own name means its groups too.
var about = map[string]string{
	"simulator":            "simulator simulators sim iphone ipad ios app run build launch install test boot watch tv vision",
	"simulator-management": "erase reset location gps coordinates appearance dark light status bar statusbar network manage boot",
	"device":               "device devices physical hardware real phone usb provisioning deploy",
	"macos":                "mac macos desktop",
	"logging":              "log logs logging console output print oslog os_log debug capture trace stream",
	"project-discovery":    "discover find project projects workspace scheme schemes settings bundle identifier inspect list",
	"project-scaffolding":  "new create scaffold start template generate scratch project",
	"swift-package":        "swift package packages spm swiftpm library server command-line cli executable",
	"ui-testing":           onScreen + " describe",
	"ui-automation":        onScreen + " snapshot wait drag",
	"utilities":            "clean cleanup derived data",
	"doctor":               "doctor diagnose diagnostics environment broken installed version setup check",
	"coverage":             "coverage covered uncovered lines report",
	"session-management":   "session default defaults profile",
}

func discover(tools func() []op.Op) op.Op {
	d := &discovery{family: tools, found: map[string][]string{}}
	return op.New(example(tool("discover_tools",
		"Find the group of tools for a task, by its words; the tools are called with call_tool", readOnly, "discovery"),
		`discover-tools "run my app on an iPhone simulator and read its logs"`), d.discover)
}

// discoverToolsIn describes a task.
type discoverToolsIn struct {
	Task     string `json:"task_description" doc:"what is to be done, in a sentence" cli:"arg"`
	Additive bool   `json:"additive,omitempty" doc:"keep the groups found before beside the new one"`
}

// discoveredTool is one tool of a group.
type discoveredTool struct {
	Name    string   `json:"name"` // as call_tool takes it
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

// Text is one line a tool.
func (o discoverToolsOut) Text() string {
	lines := []string{fmt.Sprintf("%s: %d tools, chosen by words; call them with call_tool", strings.Join(o.Groups, ", "), len(o.Tools))}
	for _, t := range o.Tools {
		lines = append(lines, fmt.Sprintf("%s(%s): %s", t.Name, strings.Join(t.Inputs, ", "), t.Summary))
	}
	return strings.Join(lines, "\n")
}

// mostTask bounds a description, which should be a sentence.
const mostTask = 2000

func (d *discovery) discover(_ context.Context, c *op.Call, in discoverToolsIn) (discoverToolsOut, error) {
	best, ok := d.best(taskWords(in.Task))
	if !ok {
		return discoverToolsOut{}, fault.New(fault.InvalidInput, "no group of tools fits %.100q", in.Task).With("field", "task_description").
			WithHint("the groups are %s", strings.Join(slices.Sorted(maps.Keys(about)), ", "))
	}
	out := discoverToolsOut{Group: best, Groups: d.remember(c.Session, best, in.Additive), By: "words"}
	for _, o := range d.family() {
		if !slices.ContainsFunc(o.Groups, func(g string) bool { return slices.Contains(out.Groups, g) }) {
			continue
		}
		t := discoveredTool{Name: callName(o), Summary: o.Summary}
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

// callName names a tool uniquely, also where the core family has a tool of the bare name.
func callName(o op.Op) string { return o.Family + "_" + o.Name }

// taskWords are the words of a description.
func taskWords(task string) []string {
	if len(task) > mostTask {
		task = strings.ToValidUTF8(task[:mostTask], "")
	}
	return strings.FieldsFunc(strings.ToLower(task), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
}

func (d *discovery) best(words []string) (string, bool) {
	scores := map[string]int{}
	for group, text := range about {
		for _, known := range strings.Fields(text) {
			if slices.Contains(words, known) {
				scores[group] += 2
			}
		}
	}
	for _, o := range d.family() {
		if slices.Contains(words, o.Name) { // whoever names a tool means it
			scores[o.Group()] += 10
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

// rank settles ties: what is used most comes first.
func rank(group string) int {
	if i := slices.Index([]string{"simulator", "device", "macos", "ui-automation", "logging"}, group); i >= 0 {
		return i
	}
	return 9
}

func (d *discovery) remember(session, group string, add bool) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var groups []string
	if add {
		groups = slices.DeleteFunc(d.found[session], func(g string) bool { return g == group })
	}
	groups = append(slices.Clone(groups), group)
	d.found[session] = groups
	return groups
}
