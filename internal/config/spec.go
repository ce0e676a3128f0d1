package config

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/fault"
)

// Spec is a tool's declaration of its arguments.
type Spec struct {
	Keys      []string      // the keys of the table that the tool takes
	Exclusive [][]string    // groups of arguments of which one may be given, by rank; nil: the table's groups within Keys
	Require   []Requirement // checked in order
	Drop      []Drop        // defaults that do not apply to this call
	Title     string        // title of a failed requirement; empty means MissingDefaults

	// Device has the key that names the session's device, and its udid. It fulfils a requirement that no other value fulfils. Empty without
	// a device.
	Device [2]string
}

// Requirement is a list of arguments: all of AllOf, or at least one of OneOf, must have a value.
type Requirement struct {
	AllOf   []string
	OneOf   []string
	Message string // for people; empty means that it is made from the list
}

// Drop removes defaults, never values that the caller gave.
type Drop struct {
	When    []string // drop only if one of these arguments is given and not false; empty means always
	Keys    []string
	Options []string // options of xcodebuild to remove from the default extraArgs
}

// ForTesting is for tools with buildForTesting, whose products run on any device.
func ForTesting() Drop {
	return Drop{When: []string{"buildForTesting"}, Keys: []string{"deviceId"}}
}

// Prepared is for tools that can run tests built before: the products decide the project, scheme and configuration.
func Prepared() Drop {
	return Drop{
		When: []string{"testProductsPath", "xctestrunPath"},
		Keys: []string{"projectPath", "workspacePath", "scheme", "configuration", "derivedDataPath"},
		Options: slices.Concat(xcodeargs.Actions(), []string{
			"-project", "-workspace", "-scheme", "-target", "-alltargets", "-configuration", "-derivedDataPath",
			"-testProductsPath", "-xctestrun",
		}),
	}
}

func (d Drop) applies(given map[string]any) bool {
	return len(d.When) == 0 || slices.ContainsFunc(d.When, func(name string) bool {
		v, has := given[name]
		return has && v != false
	})
}

func (s Spec) takes(key string) bool { return slices.Contains(s.Keys, key) }

func (s Spec) groups() [][]string {
	if s.Exclusive != nil {
		return s.Exclusive
	}
	var groups [][]string
	for _, g := range Groups() {
		groups = append(groups, slices.DeleteFunc(g, func(key string) bool { return !s.takes(key) }))
	}
	return groups
}

// matters reports whether a blank argument means "not given". An argument without default, group or requirement may be blank on purpose: a
// user can type a space as a text.
func (s Spec) matters(name string) bool {
	if s.takes(name) || slices.ContainsFunc(s.groups(), func(g []string) bool { return slices.Contains(g, name) }) {
		return true
	}
	return slices.ContainsFunc(s.Require, func(r Requirement) bool {
		return slices.Contains(r.AllOf, name) || slices.Contains(r.OneOf, name)
	})
}

// missing returns the arguments that would fulfil the requirement; nil if it is fulfilled.
func (r Requirement) missing(values map[string]Value) []string {
	missing := slices.DeleteFunc(slices.Clone(r.AllOf), func(name string) bool { return len(present([]string{name}, values)) > 0 })
	if len(missing) == 0 && len(r.OneOf) > 0 && len(present(r.OneOf, values)) == 0 {
		return r.OneOf
	}
	return missing
}

func (s Spec) require(values map[string]Value) error {
	for _, r := range s.Require {
		if key, udid := s.Device[0], s.Device[1]; udid != "" && s.takes(key) && slices.Contains(r.missing(values), key) {
			values[key] = Value{Value: udid, Origin: Origin{Source: FromDevice}}
		}
		if missing := r.missing(values); len(missing) > 0 {
			return s.unfulfilled(r, missing)
		}
	}
	return nil
}

func (s Spec) unfulfilled(r Requirement, missing []string) error {
	title := cmp.Or(s.Title, MissingDefaults)
	alternatives := len(r.OneOf) > 0 && len(present(missing, asSet(r.AllOf))) == 0
	wanted := "Required: "
	if alternatives {
		wanted = "Provide one of: "
	}
	reason := cmp.Or(r.Message, wanted+strings.Join(missing, ", "))
	return fault.New(fault.InvalidInput, "%s: %s", title, reason).
		With("title", title).With("reason", reason).With("missing", missing).
		WithHint("%s", remedy(missing, alternatives))
}

func asSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}
