// Package xcodeargs splits xcodebuild's command line into Units: options with their values, build settings and actions. It decides only
// which arguments belong together; callers decide what they mean.
package xcodeargs

import (
	"regexp"
	"slices"
	"strings"
)

// Unit is an option of xcodebuild with its value, a build setting or an action: an inseparable part of the command line.
type Unit struct {
	Key  string // -scheme, NAME, NAME[sdk=x] or build
	Name string // the key without its condition
	Args []string
}

// Value is the option's value; "" if it takes none.
func (u Unit) Value() string {
	if len(u.Args) > 1 {
		return u.Args[1]
	}
	if _, value, ok := strings.Cut(u.Args[0], u.Key); ok && len(value) > 1 && strings.HasPrefix(u.Key, "-") {
		return value[1:]
	}
	return ""
}

// setting is NAME=value or NAME[condition]=value; the condition may itself contain = and further brackets.
var setting = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)((?:\[[^\]]*\])*)=`)

// Split cuts a command line into its parts.
func Split(args []string) []Unit {
	var out []Unit
	for len(args) > 0 {
		u := first(args)
		out, args = append(out, u), args[len(u.Args):]
	}
	return out
}

func first(args []string) Unit {
	arg := args[0]
	if m := setting.FindStringSubmatch(arg); m != nil {
		return Unit{m[1] + m[2], m[1], args[:1]}
	}
	if !strings.HasPrefix(arg, "-") {
		return Unit{arg, arg, args[:1]}
	}
	if i := strings.IndexAny(arg, ":="); i > 0 { // -only-testing:App/Case and -UserDefault=value
		return Unit{arg[:i], arg[:i], args[:1]}
	}
	if len(args) > 1 && takesValue(arg, args[1]) {
		return Unit{arg, arg, args[:2]}
	}
	return Unit{arg, arg, args[:1]}
}

// takesValue decides by the tables. An option outside the tables, such as one of a newer Xcode or a user default, takes the next argument
// if that cannot be anything else.
func takesValue(option, next string) bool {
	if slices.Contains(switches, option) {
		return false
	}
	if slices.Contains(valued, option) {
		return true
	}
	return !strings.HasPrefix(next, "-") && !slices.Contains(actions, next) && !setting.MatchString(next)
}

// Unlike returns the arguments in below whose option is not among the explicit ones. An explicit NAME=value also removes
// NAME[condition]=value: xcodebuild prefers the condition, so the default would win over the call.
func Unlike(below, explicit []string) []string {
	keys := map[string]bool{}
	for _, u := range Split(explicit) {
		keys[u.Key] = true
	}
	return keep(below, func(u Unit) bool { return !keys[u.Key] && !keys[u.Name] })
}

// Without removes options with their values.
func Without(args []string, options ...string) []string {
	return keep(args, func(u Unit) bool { return !slices.Contains(options, u.Key) })
}

// Has reports whether the command line has an option, setting or action.
func Has(args []string, key string) bool {
	return slices.ContainsFunc(Split(args), func(u Unit) bool { return u.Key == key })
}

// Actions are the actions of the command line.
func Actions() []string { return slices.Clone(actions) }

// Questions are the options that make xcodebuild answer instead of build.
func Questions() []string { return slices.Clone(questions) }

func keep(args []string, ok func(Unit) bool) []string {
	var out []string
	for _, u := range Split(args) {
		if ok(u) {
			out = append(out, u.Args...)
		}
	}
	return out
}
