package host

import (
	"os"
	"slices"
	"strings"

	"ios-agent/internal/fault/mask"
)

// environ is what a program inherits, and over it what its Cmd says.
func (c Cmd) environ() []string {
	ours := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, mask.Prefix) || c.Inherit != nil && !inherits(c.Inherit, name)
	})
	return append(ours, c.Env...)
}

// inherits reports whether a list has a name; an entry that ends in * is a prefix.
func inherits(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		prefix, is := strings.CutSuffix(entry, "*")
		return entry == name || is && strings.HasPrefix(name, prefix)
	})
}
