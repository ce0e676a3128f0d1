package config

import (
	"slices"
	"strings"

	"ios-agent/internal/fault/nearest"
)

// Kind is the shape of a key's value.
type Kind string

// The kinds. Their Go types are string, bool, string, map[string]string and []string.
const (
	Text   Kind = "string"
	Flag   Kind = "bool"
	Choice Kind = "enum"
	Map    Kind = "map"
	List   Kind = "list"
)

// Key is one row of the table.
type Key struct {
	Name    string
	Kind    Kind
	Doc     string
	Choices []string // of a Choice
	Path    bool     // a path: it may be a file: URL or begin with ~, and is resolved against the project folder
	Group   string   // only one key of a group is in force; the order of the table is their rank
	Ours    bool     // XcodeBuildMCP has no key of that name
	URL     bool     // the address of a server
	Follows string   // a group from which this key was derived: a change of a member of the group clears it
	// Personal marks a key that only a person sets, for a session or in the environment. A project's file may set it only to a value that
	// the user trusts: the user did not write a cloned file, and the server that drives a device receives all typed text.
	Personal bool
}

const (
	project   = "project"
	simulator = "simulator"
)

// Table has all keys; names, schemas, variables and checks derive from it.
type Table []Key

// Keys returns the table with XcodeBuildMCP's keys and, after them, our own keys, which other packages make.
func Keys(own ...Key) Table { return append(slices.Clone(theirs), own...) }

// theirs lists the keys of XcodeBuildMCP. Only these keys have groups, and only they complete the arguments of calls.
var theirs = Table{
	{Name: "projectPath", Kind: Text, Path: true, Group: project, Doc: "path of the .xcodeproj; excludes workspacePath"},
	{Name: "workspacePath", Kind: Text, Path: true, Group: project, Doc: "path of the .xcworkspace; excludes projectPath"},
	{Name: "scheme", Kind: Text, Doc: "scheme to build, run and test"},
	{Name: "configuration", Kind: Text, Doc: "build configuration, such as Debug"},
	{Name: "simulatorId", Kind: Text, Group: simulator, Doc: "udid of the simulator; excludes simulatorName"},
	{Name: "simulatorName", Kind: Text, Group: simulator, Doc: "name of the simulator; excludes simulatorId"},
	{Name: "deviceId", Kind: Text, Doc: "udid of the physical device"},
	{Name: "useLatestOS", Kind: Flag, Doc: "take the newest runtime when a simulator is given by name"},
	{Name: "arch", Kind: Choice, Choices: []string{"arm64", "x86_64"}, Doc: "architecture of macOS builds"},
	{Name: "suppressWarnings", Kind: Flag, Doc: "leave warnings out of build results"},
	{Name: "simulatorPlatform", Kind: Choice, Follows: simulator, Doc: "platform of the simulator, when it is known",
		Choices: []string{"iOS Simulator", "watchOS Simulator", "tvOS Simulator", "visionOS Simulator"}},
	{Name: "derivedDataPath", Kind: Text, Path: true, Doc: "folder of the derived data"},
	{Name: "platform", Kind: Text, Doc: "platform of physical devices, such as iOS"},
	{Name: "bundleId", Kind: Text, Doc: "bundle identifier of the app"},
	{Name: "preferXcodebuild", Kind: Flag, Doc: "build with xcodebuild even where incremental builds are on"},
	{Name: "env", Kind: Map, Doc: "environment of launched apps"},
	{Name: "extraArgs", Kind: List, Doc: "further arguments of xcodebuild"},
}

// Names returns the keys' names in the table's order.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i, k := range t {
		names[i] = k.Name
	}
	return names
}

// Lookup finds a key by its name.
func (t Table) Lookup(name string) (Key, bool) {
	i := slices.IndexFunc(t, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return t[i], true
}

// Completes reports whether the default of this name completes the arguments of calls.
func Completes(name string) bool {
	_, known := theirs.Lookup(name)
	return known
}

// Groups returns the exclusive groups, each with its members by rank.
func Groups() [][]string {
	var groups [][]string
	at := map[string]int{}
	for _, k := range theirs {
		if k.Group == "" {
			continue
		}
		i, known := at[k.Group]
		if !known {
			i = len(groups)
			at[k.Group], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], k.Name)
	}
	return groups
}

// rivals are the other members of the key's group.
func (k Key) rivals() []Key {
	var found []Key
	for _, other := range theirs {
		if k.Group != "" && other.Group == k.Group && other.Name != k.Name {
			found = append(found, other)
		}
	}
	return found
}

// followers are the keys to clear when k gets another value.
func (k Key) followers() []Key {
	var found []Key
	for _, other := range theirs {
		if k.Group != "" && other.Follows == k.Group {
			found = append(found, other)
		}
	}
	return found
}

func (t Table) unknown(name string) error {
	f := invalid(name, "unknown session default").With("keys", t.Names())
	if near := nearest.To(name, t.Names(), 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f.WithHint("the keys are %s", strings.Join(t.Names(), ", "))
}
