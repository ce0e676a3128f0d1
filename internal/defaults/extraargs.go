package defaults

import (
	"regexp"
	"slices"
	"strings"
)

// unit is an option of xcodebuild with its value, a build setting or an action: what stays or goes as a whole.
type unit struct {
	key  string // -scheme, NAME, NAME[sdk=x] or build
	name string // the key without its condition
	args []string
}

// setting is NAME=value or NAME[condition]=value; the condition may itself hold = and further brackets.
var setting = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)((?:\[[^\]]*\])*)=`)

// units cuts a command line into its parts.
func units(args []string) []unit {
	var out []unit
	for len(args) > 0 {
		u := first(args)
		out, args = append(out, u), args[len(u.args):]
	}
	return out
}

func first(args []string) unit {
	arg := args[0]
	if m := setting.FindStringSubmatch(arg); m != nil {
		return unit{m[1] + m[2], m[1], args[:1]}
	}
	if !strings.HasPrefix(arg, "-") {
		return unit{arg, arg, args[:1]}
	}
	if i := strings.IndexAny(arg, ":="); i > 0 { // -only-testing:App/Case and -UserDefault=value
		return unit{arg[:i], arg[:i], args[:1]}
	}
	if len(args) > 1 && takesValue(arg, args[1]) {
		return unit{arg, arg, args[:2]}
	}
	return unit{arg, arg, args[:1]}
}

// takesValue decides by the tables. An option in neither, of a newer Xcode maybe or a user default, takes what follows
// if that can be nothing else.
func takesValue(option, next string) bool {
	if slices.Contains(switches, option) {
		return false
	}
	if slices.Contains(valued, option) {
		return true
	}
	return !strings.HasPrefix(next, "-") && !slices.Contains(actions, next) && !setting.MatchString(next)
}

// unlike are the arguments below whose option is not among the explicit ones. An explicit NAME=value also ousts
// NAME[condition]=value: xcodebuild prefers the condition, so the default would win over the call.
func unlike(below, explicit []string) []string {
	keys := map[string]bool{}
	for _, u := range units(explicit) {
		keys[u.key] = true
	}
	return keep(below, func(u unit) bool { return !keys[u.key] && !keys[u.name] })
}

// without takes options out, with their values.
func without(args, options []string) []string {
	return keep(args, func(u unit) bool { return !slices.Contains(options, u.key) })
}

func keep(args []string, ok func(unit) bool) []string {
	var out []string
	for _, u := range units(args) {
		if ok(u) {
			out = append(out, u.args...)
		}
	}
	return out
}
