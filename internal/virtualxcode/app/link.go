package app

import (
	"net/url"
	"strings"
)

// Link is an app's action for a URL.
type Link struct {
	Pattern string // such as shop://item/{id}: a name in braces is a variable
	Do      []Step
}

// Match returns the variables that a URL sets, and whether the link matches it. The comparison ignores a query.
func (l Link) Match(address string) (Vars, bool) {
	bare, _, _ := strings.Cut(address, "?")
	want, have := strings.Split(l.Pattern, "/"), strings.Split(strings.TrimSuffix(bare, "/"), "/")
	if len(want) != len(have) || !strings.EqualFold(want[0], have[0]) {
		return nil, false
	}
	found := Vars{}
	for i := 1; i < len(want); i++ {
		if name, ok := placeholder(want[i]); ok {
			found[name] = unescaped(have[i])
			continue
		}
		if want[i] != have[i] {
			return nil, false
		}
	}
	return found, true
}

func placeholder(part string) (string, bool) {
	if len(part) < 3 || part[0] != '{' || part[len(part)-1] != '}' {
		return "", false
	}
	return part[1 : len(part)-1], true
}

func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// names are the variables the link sets.
func (l Link) names() (out []string) {
	for _, part := range strings.Split(l.Pattern, "/") {
		if name, ok := placeholder(part); ok {
			out = append(out, name)
		}
	}
	return out
}
