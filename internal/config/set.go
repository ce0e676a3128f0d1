package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Change is a session_set_defaults call.
type Change struct {
	Profile string         // the profile to change and make active; blank means the active profile
	Create  bool           // create the profile if it is missing
	Values  map[string]any // by key; null and blank values are ignored
}

// Outcome is the effect of a change.
type Outcome struct {
	Profile string   `json:"profile"` // label of the changed profile
	Notices []string `json:"notices,omitempty"`
}

// Set changes the session's layer; after an error the layer is unchanged. Setting one member of an exclusive group clears the others;
// setting two is a fault.
func (s *Store) Set(c Change) (Outcome, error) {
	values, err := s.checked(c.Values)
	if err != nil {
		return Outcome{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if size := s.size() + profileBytes + len(c.Profile) + sizeOf(values); size > mostBytes {
		return Outcome{}, fault.New(fault.TooMany, "the defaults of this session would take %d bytes; at most %d are kept", size, mostBytes).
			WithHint("clear defaults that are not used: %s", hint.Do("session_clear_defaults", "all", true))
	}
	name, notices, err := s.choose(c)
	if err != nil {
		return Outcome{}, err
	}
	notices = append(notices, s.put(name, values)...)
	return Outcome{label(name), notices}, nil
}

// mostBytes is the maximum size in bytes of a session's values in one project. There may be thousands of sessions.
const mostBytes = 32 << 10

const profileBytes = 200 // memory of an empty profile

// size estimates the memory of the session's own values in bytes.
func (s *Store) size() (size int) {
	for name, p := range s.profiles {
		size += profileBytes + len(name) + sizeOf(p.values)
	}
	return size
}

func sizeOf[V any](values map[string]V) int {
	raw, err := json.Marshal(values)
	if err != nil {
		return mostBytes
	}
	return len(raw)
}

// choose finds the profile of a change, creates it if the change says so, and makes it active.
func (s *Store) choose(c Change) (name string, notices []string, err error) {
	if blank(c.Profile) {
		return s.current(), nil, nil
	}
	name = named(c.Profile)
	if !s.exists(name) {
		if !c.Create {
			return "", nil, s.noProfile(name)
		}
		s.hold(name, &profile{alone: true})
		notices = append(notices, fmt.Sprintf("created profile %q", name))
	}
	if name != s.current() {
		notices = append(notices, fmt.Sprintf("profile %q is now active", label(name)))
	}
	s.activate(name)
	return name, notices, nil
}

func (s *Store) put(name string, values map[string]any) (notices []string) {
	before := s.effective(name)
	p := s.profile(name)
	for _, gone := range outdated(before, values) {
		p.clear(gone.key) // even without a value now, so that no lower layer gives one later
		if _, had := before[gone.key]; had {
			notices = append(notices, gone.notice())
		}
	}
	for key, v := range values {
		p.set(key, Value{Value: v, Origin: Origin{FromSession, Tool}})
	}
	s.revision++
	return notices
}

// profile returns the session's layer of a profile and creates it at the first use.
func (s *Store) profile(name string) *profile {
	if p := s.profiles[name]; p != nil {
		return p
	}
	return s.hold(name, &profile{})
}

func (l *layer) set(key string, v Value) {
	if l.values == nil {
		l.values = map[string]Value{}
	}
	l.values[key] = v
	delete(l.cleared, key)
}

func (l *layer) clear(key string) {
	if l.cleared == nil {
		l.cleared = map[string]bool{}
	}
	l.cleared[key] = true
	delete(l.values, key)
}

// removal is a key that lost its value because another key got one.
type removal struct{ key, because string }

func (r removal) notice() string {
	return fmt.Sprintf("cleared %s, because %s was set", r.key, r.because)
}

// outdated returns the keys that the new values invalidate: the other members of a group, and values derived from a group whose member
// changes.
func outdated(before map[string]Value, values map[string]any) []removal {
	var found []removal
	drop := func(keys []Key, because string) {
		for _, k := range keys {
			if _, given := values[k.Name]; !given {
				found = append(found, removal{k.Name, because})
			}
		}
	}
	for _, k := range theirs {
		v, given := values[k.Name]
		if !given {
			continue
		}
		drop(k.rivals(), k.Name)
		if !reflect.DeepEqual(before[k.Name].Value, v) {
			drop(k.followers(), k.Name)
		}
	}
	return found
}
