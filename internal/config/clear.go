package config

// Clearing is a session_clear_defaults call. Without Keys and without All it clears the whole profile.
type Clearing struct {
	Keys    []string // nil: all of them; empty: none
	All     bool     // every profile; excludes the other fields
	Profile string   // the active one when blank
}

// Clear removes values for the rest of the session, including the file's and the environment's: a caller that clears a scheme does not want
// another scheme from a lower layer. It leaves the file unchanged. Clearing a named profile as a whole deletes it; if it was active, the
// global profile becomes active.
func (s *Store) Clear(c Clearing) error {
	if err := c.check(s.keys); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.All {
		s.clearAll()
		return nil
	}
	name := s.current()
	if !blank(c.Profile) {
		name = named(c.Profile)
	}
	if !s.exists(name) {
		return s.noProfile(name)
	}
	s.clearProfile(name, c.Keys)
	return nil
}

func (c Clearing) check(keys Table) error {
	if c.All && (c.Keys != nil || !blank(c.Profile)) {
		return invalid("all", "all cannot be combined with keys or profile").
			WithHint("leave out all to clear one profile, or give all alone")
	}
	for _, key := range c.Keys {
		if _, known := keys.Lookup(key); !known {
			return keys.unknown(key)
		}
	}
	return nil
}

func (s *Store) clearAll() {
	for _, name := range s.names() {
		s.clearProfile(name, nil)
	}
	s.activate("")
}

func (s *Store) clearProfile(name string, keys []string) {
	if keys == nil && name != "" {
		s.remove(name)
		return
	}
	if keys == nil {
		keys = s.keys.Names()
	}
	p := s.profile(name)
	for _, key := range keys {
		p.clear(key)
	}
	if len(keys) > 0 {
		s.revision++
	}
}

func (s *Store) remove(name string) {
	wasActive := s.current() == name
	s.hold(name, &profile{gone: true})
	s.revision++
	if wasActive {
		s.activate("")
	}
}
