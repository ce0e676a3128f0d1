package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// reader makes layers of a vetted document and collects a warning for each value that it omits.
type reader struct {
	folders
	file     string
	doc      document
	allowed  []string // values of Personal keys that the user allows
	warnings []string
}

func (r *reader) warn(path []string, format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: ", r.file, r.doc.LineOf(path...))+fmt.Sprintf(format, args...))
}

func (r *reader) read(c *config) {
	c.settings = r.settings()
	if _, has := r.doc.Tree[keyDevices]; has {
		r.warn([]string{keyDevices}, "%s is ignored: %s", keyDevices, Key{Name: KeyDriver, Ours: true}.elsewhere())
	}
	c.profiles = map[string]layer{"": r.layer(keyGlobal)}
	profiles, _ := section(r.doc.Tree, keyProfiles)
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		if named(name) == "" {
			r.warn([]string{keyProfiles, name}, "a profile cannot be called %q", name)
			continue
		}
		c.profiles[name] = r.layer(keyProfiles, name)
	}
	active, _ := r.doc.Tree[keyActive].(scalar)
	c.active = named(active.Text)
	if _, has := c.profiles[c.active]; !has {
		r.warn([]string{keyActive}, "unknown profile %q", c.active)
	}
}

func (r *reader) layer(path ...string) layer {
	values := r.doc.Tree
	for _, key := range path {
		values, _ = section(values, key)
	}
	l := layer{values: map[string]Value{}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v, ok := r.value(append(path, name), name, values[name]); ok {
			l.values[name] = Value{Value: v, Origin: Origin{FromConfig, r.file}}
		}
	}
	return l
}

func (r *reader) value(path []string, name string, raw any) (any, bool) {
	k, known := r.keys.Lookup(name)
	if !known {
		near := nearest.To(name, r.keys.Names(), 1)
		r.warn(path, "%q is not a session default%s", name, didYouMean(near))
		return nil, false
	}
	if s, ok := raw.(scalar); ok && strings.TrimSpace(s.Text) == "" {
		return nil, false
	}
	v, err := r.lenient(k, raw)
	if err != nil {
		r.warn(path, "%s is ignored: %v", name, err)
		return nil, false
	}
	if text, _ := v.(string); k.Personal && !slices.Contains(r.allowed, text) {
		r.warn(path, "%s is ignored: %s. %s", name, k.elsewhere(), consent(text))
		return nil, false
	}
	return v, true
}

// consent returns the command with which the user allows the file to name a value. VALUE stands for a value that a shell could interpret.
func consent(value string) string {
	if strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/._-") != "" || strings.HasPrefix(value, "-") {
		value = "VALUE"
	}
	return "If you wrote or read the file, " + hint.Command("ios-agent trust "+value) + " in this project's folder allows it"
}

func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + near[0] + "?"
}

// lenient reads scalars as text whatever type YAML gives them: `scheme: 2048` and `env: {DEBUG: 1}` mean the texts 2048 and 1.
func (r *reader) lenient(k Key, raw any) (any, error) {
	if s, ok := raw.(scalar); ok && k.scalar() {
		return r.fromText(k, s.Text)
	}
	return k.accept(written(raw))
}

// written replaces the scalars of a tree by their text.
func written(raw any) any {
	switch v := raw.(type) {
	case scalar:
		return v.Text
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = written(v[i])
		}
		return list
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = written(v[name])
		}
		return out
	}
	return raw
}
