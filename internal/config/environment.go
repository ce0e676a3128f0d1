package config

import (
	"fmt"
	"strings"
	"unicode"
)

// prefixes are the prefixes of the variables. Our prefix wins over XcodeBuildMCP's.
var prefixes = []string{"IOS_AGENT_", "XCODEBUILDMCP_"}

// Variables are the environment variables that can set the key; the first set variable wins.
func (k Key) Variables() []string {
	if !k.scalar() {
		return nil
	}
	var names []string
	for i, prefix := range prefixes {
		if i == 0 || !k.Ours {
			names = append(names, prefix+upperSnake(k.Name))
		}
	}
	return names
}

// upperSnake turns useLatestOS into USE_LATEST_OS.
func upperSnake(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// environment reads the lowest layer. It skips an invalid variable with a warning, because another person than the caller may have set it.
func environment(env map[string]string, f folders) (layer, []string) {
	l := layer{values: map[string]Value{}}
	var warnings []string
	for _, k := range f.keys {
		for _, name := range k.Variables() {
			if _, has := l.values[k.Name]; has || blank(env[name]) {
				continue
			}
			v, err := f.fromText(k, env[name])
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("environment variable %s is ignored: %v", name, err))
				continue
			}
			l.values[k.Name] = Value{Value: v, Origin: Origin{FromEnv, name}}
		}
	}
	return l, warnings
}

func (f folders) fromText(k Key, text string) (any, error) {
	v, err := k.read(text)
	if err != nil {
		return nil, err
	}
	return f.place(k, v)
}
