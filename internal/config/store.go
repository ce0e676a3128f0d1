package config

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Options has the sources of a session's defaults. Each may be omitted.
type Options struct {
	Dir  string            // the client's project folder (see Folder); empty means no config file
	Home string            // the folder that ~ means; empty means HOME of Env
	Env  map[string]string // the environment of the calling client, not the daemon's; see For
	Keys Table             // all keys; nil means XcodeBuildMCP's only
	// Allowed returns the values of Personal keys that the user allows the file of a project folder to set; a nil function allows none.
	Allowed func(project string) []string
}

// Store has the defaults of one client session as one client sees them: the session's values above the client's environment. It is safe for
// concurrent use and returns copies.
type Store struct {
	*memory
	env      layer
	settings map[string]string // from the environment
	warnings []string          // about the environment
}

// memory is the part of a store that all clients of a session share.
type memory struct {
	folders
	file file

	filing sync.Mutex // held while the file is read or written, so that mu is not

	mu       sync.Mutex
	profiles map[string]*profile // the session's own values; "" is the global profile
	config   config
	active   string
	chosen   bool // the session chose its profile itself; otherwise the file does
	revision uint64
}

// profile is the session's layer of one profile.
type profile struct {
	layer
	alone bool // deleted and created again: the file's profile of that name no longer applies
	gone  bool // deleted: hides the file's profile
}

// Open is New followed by Reload.
func Open(o Options) *Store {
	s := New(o)
	s.Reload()
	return s
}

// New makes a store that has not read its file yet. It never fails: it omits values that it cannot read, and Warnings lists them.
func New(o Options) *Store {
	if o.Home == "" {
		o.Home = o.Env["HOME"]
	}
	if o.Keys == nil {
		o.Keys = theirs
	}
	s := &Store{memory: &memory{folders: folders{o.Dir, o.Home, o.Keys}, file: file{o.Dir, o.Allowed}}}
	return s.For(o.Env)
}

// For returns the same session as a client with another environment sees it. The session does not keep that environment.
func (s *Store) For(env map[string]string) *Store {
	own := &Store{memory: s.memory}
	own.env, own.warnings = environment(env, s.folders)
	settings, warnings := settingsOf(env)
	own.settings, own.warnings = settings, append(own.warnings, warnings...)
	return own
}

// Reload reads the config file again if it has changed. The store does not watch the file: a daemon calls Reload before a call.
func (s *Store) Reload() {
	s.filing.Lock()
	defer s.filing.Unlock()
	s.take(s.file.state())
}

// take uses the file as the config layer. The caller holds filing, which also guards the only writes to config.
func (s *Store) take(now state) {
	if now == s.config.state {
		return
	}
	c := readConfig(s.file, now, s.folders)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config = c
	s.revision++
}

// Warnings lists the problems of the file and the environment.
func (s *Store) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems()
}

func (s *Store) problems() []string { return slices.Concat(s.config.warnings, s.warnings) }

// Use makes a profile active; "" and Global mean the profile without a name.
func (s *Store) Use(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name = named(name)
	if !s.exists(name) {
		return s.noProfile(name)
	}
	s.activate(name)
	return nil
}

func named(name string) string {
	name = strings.TrimSpace(name)
	if name == Global {
		return ""
	}
	return name
}

func (s *Store) activate(name string) {
	s.active, s.chosen = name, true
	s.revision++
}

// current returns the active profile's name. The file's choice applies until the session makes its own.
func (s *Store) current() string {
	name := s.config.active
	if s.chosen {
		name = s.active
	}
	if !s.exists(name) {
		return ""
	}
	return name
}

func (s *Store) exists(name string) bool {
	if p, touched := s.profiles[name]; touched && name != "" {
		return !p.gone
	}
	_, filed := s.config.profiles[name]
	return filed || name == ""
}

// hold adds a profile to the session's own layer.
func (s *Store) hold(name string, p *profile) *profile {
	if s.profiles == nil {
		s.profiles = map[string]*profile{}
	}
	s.profiles[name] = p
	return p
}

// names returns the names of all profiles, the global profile first.
func (s *Store) names() []string {
	all := map[string]bool{"": true}
	for name := range s.profiles {
		all[name] = true
	}
	for name := range s.config.profiles {
		all[name] = true
	}
	maps.DeleteFunc(all, func(name string, _ bool) bool { return !s.exists(name) })
	return slices.Sorted(maps.Keys(all))
}

// effective returns the values of a profile. A named profile gets no values from the global profile and none from the environment, because
// its variables do not name a profile.
func (s *Store) effective(name string) map[string]Value {
	layers := make([]layer, 0, 3)
	p := s.profiles[name]
	if p != nil {
		layers = append(layers, p.layer)
	}
	if p == nil || !p.alone {
		layers = append(layers, s.config.profiles[name])
	}
	if name == "" {
		layers = append(layers, s.env)
	}
	return s.keys.lay(layers...)
}

func (s *Store) noProfile(name string) error {
	known := s.names()
	for i := range known {
		known[i] = label(known[i])
	}
	f := fault.New(fault.InvalidInput, "unknown profile %q", name).With("profiles", known)
	create := hint.Do(Tool, "profile", name, "createIfNotExists", true)
	if near := nearest.To(name, known, 1); len(near) > 0 {
		return f.WithHint("did you mean %q? Or create it: %s", near[0], create)
	}
	return f.WithHint("create it: %s", create)
}

// Values returns the current values of the active profile.
func (s *Store) Values() map[string]Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.effective(s.current())
}

// Allows reports whether the user trusts the file of this project with a value, also where a session or a call gives it.
func (s *Store) Allows(value string) bool { return slices.Contains(s.file.allows(), value) }

// Text checks the value that a call gives for a key of a string; a blank value becomes empty.
func (s *Store) Text(key, given string) (string, error) {
	k, known := s.keys.Lookup(key)
	switch {
	case blank(given):
		return "", nil
	case !known:
		return "", s.keys.unknown(key)
	}
	v, err := s.normal(k, given)
	text, _ := v.(string)
	return text, err
}
