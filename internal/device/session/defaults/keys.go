package defaults

import (
	"slices"

	"ios-agent/internal/device"
)

// Kind is the shape of a key's value.
type Kind string

// The kinds. In Go they are string, bool, string, map[string]string and []string.
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
	Path    bool     // may be a file: URL or start with ~, and is resolved against the project folder
	Group   string   // of the keys with the same group only one is in force; the table's order is their rank
	Ours    bool     // XcodeBuildMCP has none of that name
	URL     bool     // an address of a server
	Follows string   // a group this key is a conclusion from: forgotten when a member of the group changes
	// Personal is a key that a person sets, for a session or in the environment. A project's file cannot: who cloned the project did not
	// write it, and what drives a device is told what is typed.
	Personal bool
}

const (
	project   = "project"
	simulator = "simulator"
)

// table is the one place that knows the keys; names, schemas, variables and checks derive from it.
var table = []Key{
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
	{Name: KeyDriver, Ours: true, Personal: true, Kind: Choice, Choices: device.Drivers(), Doc: "what looks at devices and touches them"},
	{Name: KeyWDA, Ours: true, Personal: true, Kind: Text, URL: true, Doc: "where WebDriverAgent listens, such as http://127.0.0.1:8100"},
	{Name: KeyAppium, Ours: true, Personal: true, Kind: Text, URL: true,
		Doc: "where an Appium server listens, such as http://127.0.0.1:4723"},
	{Name: KeyIDB, Ours: true, Personal: true, Kind: Text, URL: true, Doc: "where idb_companion listens, such as unix:///tmp/idb.sock"},
}

// Keys gives the table.
func Keys() []Key { return slices.Clone(table) }

// Names gives the keys' names in the table's order.
func Names() []string {
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.Name
	}
	return names
}

// Lookup finds a key by its name.
func Lookup(name string) (Key, bool) {
	i := slices.IndexFunc(table, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return table[i], true
}

// Groups gives the exclusive groups, each with its members by rank.
func Groups() [][]string {
	var groups [][]string
	at := map[string]int{}
	for _, k := range table {
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
	for _, other := range table {
		if k.Group != "" && other.Group == k.Group && other.Name != k.Name {
			found = append(found, other)
		}
	}
	return found
}

// followers are the keys to forget when k gets another value.
func (k Key) followers() []Key {
	var found []Key
	for _, other := range table {
		if k.Group != "" && other.Follows == k.Group {
			found = append(found, other)
		}
	}
	return found
}
