package wording

import (
	"encoding/json"
	"maps"
	"slices"

	"ios-agent/internal/op"
)

// whereabouts are the inputs that say where a call works. If a call names them, the next call should name them too.
var whereabouts = []string{
	"session", "udid", "sim", "simulatorId", "simulatorName", "deviceId", "projectPath", "workspacePath", "scheme", "configuration",
	"platform", "derivedDataPath", "packagePath",
}

func keep(input []byte) map[string]any {
	var given map[string]any
	if json.Unmarshal(input, &given) != nil {
		return nil
	}
	kept := map[string]any{}
	for _, name := range whereabouts {
		if value, ok := given[name]; ok && value != "" {
			kept[name] = value
		}
	}
	for theirs, ours := range inCore {
		if value, ok := kept[theirs]; ok && kept[ours] == nil {
			kept[ours] = value
		}
	}
	return kept
}

// inCore are the inputs by which builds name a device, and what the core family calls them.
var inCore = map[string]string{"simulatorId": "udid", "simulatorName": "sim"}

// withKept adds what the call before named, where the mentioned operation takes it and does not name another.
func withKept(m Mention, kept map[string]any) Mention {
	m.kept = kept
	if m.Help {
		return m
	}
	all := map[string]any{}
	maps.Copy(all, m.Input)
	for _, f := range m.Op.Fields() {
		value, ok := kept[f.Name]
		if _, named := all[f.Name]; ok && !named && !rules(m.Op, all, f.Name) {
			all[f.Name] = value
		}
	}
	if session, ok := kept["session"]; ok {
		all["session"] = session
	}
	m.Input = all
	return m
}

// devices are the inputs that name a device; one is enough.
var devices = []string{"udid", "sim", "simulatorId", "simulatorName", "deviceId"}

// rules reports whether what is named already leaves no room for an input: the operation takes one of them only.
func rules(o op.Op, named map[string]any, input string) bool {
	return slices.ContainsFunc(append(o.Exclude, devices), func(group []string) bool {
		return slices.Contains(group, input) && slices.ContainsFunc(group, func(other string) bool { _, is := named[other]; return is })
	})
}
