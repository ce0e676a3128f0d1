package wording

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/op"
	"ios-agent/internal/text/words"
)

// verbsOf finds operations by what one types for them. It is read only when a text names one.
func verbsOf(c *op.Catalogue) func() map[string]op.Op {
	return sync.OnceValue(func() map[string]op.Op {
		all := map[string]op.Op{}
		for _, o := range c.Ops() {
			for _, word := range o.Aliases {
				all[word] = o
			}
		}
		for _, o := range c.Ops() {
			if o.Verb != "" {
				all[o.Verb] = o
			}
		}
		return all
	})
}

// parseCommand reads a command without the program's name. It is no mention if it is no operation, or not one that could be called so.
func parseCommand(verbs map[string]op.Op, command string) (Mention, bool) {
	split, whole := words.Split(command)
	if !whole {
		return Mention{}, false
	}
	for n := min(2, len(split)); n > 0; n-- {
		o, ok := verbs[strings.Join(split[:n], " ")]
		if !ok {
			continue
		}
		if rest := split[n:]; !slices.Equal(rest, []string{"--help"}) {
			input, err := op.ParseArgs(o, rest)
			return Mention{Op: o, Input: typed(o, input)}, err == nil
		}
		return Mention{Op: o, Help: true}, true
	}
	return Mention{}, false
}

// parseCall reads name({ key: value, … }).
func parseCall(c *op.Catalogue, call string) (Mention, bool) {
	name, rest, _ := strings.Cut(call, "({")
	o, err := c.Lookup(name)
	if err != nil {
		return Mention{}, false
	}
	input := map[string]any{}
	inside := strings.TrimSpace(strings.TrimSuffix(rest, "})"))
	for inside != "" {
		key, value, ok := strings.Cut(inside, ":")
		if !ok {
			return Mention{}, false
		}
		decoder := json.NewDecoder(strings.NewReader(value))
		var decoded any
		if decoder.Decode(&decoded) != nil {
			return Mention{}, false
		}
		input[strings.TrimSpace(key)] = decoded
		inside = strings.TrimLeft(value[decoder.InputOffset():], ", ")
	}
	return Mention{Op: o, Input: input}, true
}

// typed gives numbers and booleans their kind: a command line has texts only.
func typed(o op.Op, input map[string]any) map[string]any {
	for _, f := range o.Fields() {
		text, is := input[f.Name].(string)
		if !is || f.Kind != op.Bool && f.Kind != op.Int && f.Kind != op.Float {
			continue
		}
		var value any
		if json.Unmarshal([]byte(text), &value) == nil { // else it stands for a value, as in --timeout SECONDS
			input[f.Name] = value
		}
	}
	return input
}

// whereabouts are the inputs that say where a call works. What a call named, its next one should name too.
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
