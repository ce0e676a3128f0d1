package wording

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/op"
)

// twins find the tool of a set that does the same as a core operation. The search happens when a text first names an operation.
type twins struct {
	catalogue *op.Catalogue
	names     map[string]string // of the tools, by ID
	found     func() map[string][]op.Op
	inputs    func() map[string]bool // inputs that at least one tool takes
}

func twinsOf(c *op.Catalogue, names map[string]string) twins {
	t := twins{catalogue: c, names: names}
	t.found = sync.OnceValue(func() map[string][]op.Op {
		all := map[string][]op.Op{}
		for _, o := range c.Ops() {
			if _, listed := names[c.ID(o)]; listed && o.Family != op.Core {
				all[cmp.Or(o.Twin, o.Name)] = append(all[cmp.Or(o.Twin, o.Name)], o)
			}
		}
		for name, same := range all { // what says that it is the twin comes before what only has the name
			slices.SortStableFunc(same, func(a, b op.Op) int { return cmp.Compare(closeness(b, name), closeness(a, name)) })
		}
		return all
	})
	t.inputs = sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, o := range c.Ops() {
			if _, listed := names[c.ID(o)]; listed {
				for _, f := range o.Fields() {
					all[f.Name] = true
				}
			}
		}
		return all
	})
	return t
}

func closeness(o op.Op, name string) int {
	switch {
	case o.Twin == "":
		return 0
	case o.Name == name:
		return 2
	}
	return 1
}

// of is a mention as a call of the set's tool that does the same, and whether it takes all that the mention names.
func (t twins) of(m Mention) (as Mention, whole, ok bool) {
	if m.Op.Family != op.Core {
		return m, false, false
	}
	for _, twin := range t.found()[m.Op.Name] {
		input, lost := renamed(twin, m.Input)
		if lost && !readable(twin, input) { // what is left means nothing
			continue
		}
		found := withKept(Mention{Op: twin, Input: input, Help: m.Help}, m.kept)
		switch {
		case !ok:
			as, whole, ok = found, !lost, true
		case !whole && !lost:
			as, whole = found, true
		}
	}
	return as, whole, ok
}

// otherNames are what other families call our inputs, where it is another word and not only another spelling.
var otherNames = map[string][]string{
	"udid": {"simulatorId", "deviceId"}, "sim": {"simulatorName"}, "ref": {"elementRef", "withinElementRef"}, "identifier": {"id"},
	"out": {"outputFile"}, "condition": {"predicate"},
}

// renamed are the inputs under the names that an operation has for them, and whether some were lost.
func renamed(o op.Op, input map[string]any) (out map[string]any, lost bool) {
	out = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if name == "session" {
			out[name] = input[name]
			continue
		}
		as, ok := nameIn(func(n string) bool { return takes(o, n) }, name)
		if !ok || !allows(o, as, input[name]) {
			lost = true
			continue
		}
		out[as] = input[name]
	}
	return out, lost
}

// allows reports whether an input may have a value, as far as its values are listed.
func allows(o op.Op, name string, value any) bool {
	i := slices.IndexFunc(o.Fields(), func(f op.Field) bool { return f.Name == name })
	enum := o.Fields()[i].Enum
	return len(enum) == 0 || slices.Contains(enum, fmt.Sprint(value))
}

func readable(o op.Op, input map[string]any) bool {
	input = maps.Clone(input)
	delete(input, "session") // of every operation
	raw, err := json.Marshal(input)
	if err == nil {
		_, err = o.Read(raw)
	}
	return err == nil
}

// nameIn is an input as those call it who take it.
func nameIn(takes func(string) bool, name string) (string, bool) {
	for _, as := range append([]string{name, camel(name)}, otherNames[name]...) {
		if takes(as) {
			return as, true
		}
	}
	return name, false
}

func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts {
		if i > 0 && p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// input is the name of an input in the set's tools.
func (t twins) input(name string) string {
	name, _ = nameIn(func(n string) bool { return t.inputs()[n] }, name)
	return name
}
