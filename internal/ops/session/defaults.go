// Package session offers the operations on a client session: its defaults and profiles, and a short status. Defaults and Status are its
// main types. Package config stores the defaults and defines their keys.
package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/op"
)

// Defaults sets, shows and clears the values that later calls of a session inherit: project, scheme, simulator. The names and rules are
// XcodeBuildMCP's, because its tools read these values.
type Defaults struct {
	sessions *session.Store
	keys     config.Table
}

// NewDefaults makes the operations on the defaults of sessions.
func NewDefaults(sessions *session.Store, keys config.Table) *Defaults {
	return &Defaults{sessions, keys}
}

// Ops lists the operations on defaults.
func (d *Defaults) Ops() []op.Op {
	groups := []string{"session-management"}
	return []op.Op{
		op.NewKeyed(op.Spec{
			Name: config.Tool, Groups: groups, Verb: "session-set-defaults", Route: "POST /api/v1/session/defaults",
			Summary: "Set default values for later calls of this session", Hints: op.Idempotent,
			Exclude: config.Groups(), Next: []string{"session_show_defaults"},
			Examples: []string{
				`session-set-defaults --scheme Shop --simulator-name "iPhone 16 Pro"`,
				"session-set-defaults --profile ci --create-if-not-exists --scheme ShopTests --persist",
			},
		}, append(d.fields(),
			op.Field{Name: "profile", Kind: op.String, Doc: "the profile to change and make active"},
			op.Field{Name: "createIfNotExists", Kind: op.Bool, Doc: "create the profile if it does not exist"},
			op.Field{Name: "persist", Kind: op.Bool, Doc: "write the values to .ios-agent/config.yaml too"},
		), d.set),
		op.New(op.Spec{
			Name: "session_show_defaults", Groups: groups, Route: "GET /api/v1/session/defaults",
			Summary: "Show the session's defaults and where each comes from", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"session-show-defaults"},
		}, d.show),
		op.New(op.Spec{
			Name: "session_clear_defaults", Groups: groups, Route: "POST /api/v1/session/defaults/clear",
			Summary: "Clear some or all of the session's defaults", Hints: op.Idempotent, Exclude: [][]string{{"all", "keys"}, {"all", "profile"}},
			Examples: []string{"session-clear-defaults --keys scheme", "session-clear-defaults --all"},
		}, d.clear),
		op.New(op.Spec{
			Name: "session_use_defaults_profile", Groups: groups, Route: "POST /api/v1/session/defaults/profile",
			Summary: "Switch to another profile of defaults", Hints: op.Idempotent,
			Exclude: [][]string{{"profile", "global"}}, Require: [][]string{{"profile", "global"}},
			Examples: []string{"session-use-defaults-profile ci", "session-use-defaults-profile --global"},
		}, d.use),
	}
}

// fields makes the inputs from the table of keys.
func (d *Defaults) fields() []op.Field {
	kinds := map[config.Kind]op.Kind{
		config.Text: op.String, config.Flag: op.Bool, config.Choice: op.String, config.Map: op.Strings, config.List: op.Strings,
	}
	var fields []op.Field
	for _, k := range d.keys {
		f := op.Field{Name: k.Name, Kind: kinds[k.Kind], Doc: k.Doc, Enum: k.Choices, Pairs: k.Kind == config.Map}
		switch {
		case k.Path:
			f.Kind, f.Risk = op.File, op.NamesFile
		case k.Personal:
			f.Risk = op.NamesServer
		}
		fields = append(fields, f)
	}
	return fields
}

// store holds the defaults of the calling session in its project.
func (d *Defaults) store(c *op.Call) *config.Store {
	return d.sessions.Get(c.Session).Defaults(c.Dir, c.Env)
}

// Completer completes the inputs of an operation from the calling session's defaults.
func (d *Defaults) Completer(how complete.Completion) op.Completer { return how.From(d.sessions) }

// defaultsOut is the session's defaults.
type defaultsOut struct {
	config.View
	Notices []string `json:"-"` // the meta of the answer has them
}

// Text has a line for each value, with its source.
func (o defaultsOut) Text() string {
	active := o.Profiles[o.Active]
	lines := []string{"session defaults, profile " + o.Active}
	for _, name := range o.Names {
		if v := active.Values[name]; v != nil {
			from := active.Sources[name]
			lines = append(lines, fmt.Sprintf("%s: %v (%s)", name, v, strings.TrimSpace(string(from.Source)+" "+from.From)))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "no values set")
	}
	if others := slices.Sorted(maps.Keys(o.Profiles)); len(others) > 1 {
		lines = append(lines, "profiles: "+strings.Join(others, ", "))
	}
	return strings.Join(lines, "\n")
}

// answer adds the notices, and the errors in the file and the environment.
func (o defaultsOut) answer(c *op.Call) (defaultsOut, error) {
	for _, text := range slices.Concat(o.Notices, o.Warnings) {
		c.Notify(op.Notice{Kind: op.Config, Text: text})
	}
	return o, nil
}

func (d *Defaults) set(_ context.Context, c *op.Call, in map[string]any) (defaultsOut, error) {
	profile, _ := in["profile"].(string)
	create, _ := in["createIfNotExists"].(bool)
	persist, _ := in["persist"].(bool)
	for _, own := range []string{"profile", "createIfNotExists", "persist"} {
		delete(in, own)
	}
	if err := pairs(in, "env"); err != nil {
		return defaultsOut{}, err
	}
	store, change := d.store(c), config.Change{Profile: profile, Create: create, Values: in}
	done, err := store.Set(change)
	if err != nil {
		return defaultsOut{}, err
	}
	notices := done.Notices
	if persist {
		more, err := store.Persist(change)
		if err != nil {
			return defaultsOut{}, err
		}
		notices = append(notices, more...)
	}
	return defaultsOut{store.Show(), notices}.answer(c)
}

// pairs turns a list of NAME=VALUE into the map that the defaults store.
func pairs(in map[string]any, key string) error {
	list, ok := in[key].([]string)
	if !ok {
		return nil
	}
	values, err := op.NameValues(key, list)
	in[key] = values
	return err
}

func (d *Defaults) show(_ context.Context, c *op.Call, _ struct{}) (defaultsOut, error) {
	return defaultsOut{View: d.store(c).Show()}.answer(c)
}

// clearDefaultsIn selects values to clear.
type clearDefaultsIn struct {
	Keys    []string `json:"keys,omitempty" doc:"only these keys; default: the whole profile"`
	All     bool     `json:"all,omitempty" doc:"all profiles"`
	Profile string   `json:"profile,omitempty" doc:"profile; default: the active one"`
}

func (d *Defaults) clear(_ context.Context, c *op.Call, in clearDefaultsIn) (defaultsOut, error) {
	store := d.store(c)
	if err := store.Clear(config.Clearing{Keys: in.Keys, All: in.All, Profile: in.Profile}); err != nil {
		return defaultsOut{}, err
	}
	return defaultsOut{View: store.Show()}.answer(c)
}

// useProfileIn names a profile.
type useProfileIn struct {
	Profile string `json:"profile,omitempty" doc:"the profile to use; it must exist" cli:"arg"`
	Global  bool   `json:"global,omitempty" doc:"go back to the defaults outside all profiles"`
	Persist bool   `json:"persist,omitempty" doc:"write the choice to .ios-agent/config.yaml too"`
}

func (d *Defaults) use(_ context.Context, c *op.Call, in useProfileIn) (defaultsOut, error) {
	store := d.store(c)
	if err := store.Use(in.Profile); err != nil {
		return defaultsOut{}, err
	}
	out := defaultsOut{}
	if in.Persist {
		var err error
		if out.Notices, err = store.PersistActive(in.Profile); err != nil {
			return defaultsOut{}, err
		}
	}
	out.View = store.Show()
	return out.answer(c)
}
