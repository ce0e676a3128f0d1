package config

// View is the whole store, for people and programs.
type View struct {
	Active   string                 `json:"activeProfile"` // a label, a key of Profiles
	Revision uint64                 `json:"revision"`
	File     string                 `json:"file,omitempty"` // the config file, whether it exists or not
	Profiles map[string]ProfileView `json:"profiles"`
	Warnings []string               `json:"warnings,omitempty"`

	Names []string `json:"-"` // names of all keys, in the order of the table
}

// ProfileView is one profile: every key, with the origin of each set value.
type ProfileView struct {
	Values  map[string]any    `json:"values"` // null: not set
	Sources map[string]Origin `json:"sources"`
}

// Show returns every profile with every key, and the origin of each value.
func (s *Store) Show() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := View{Active: label(s.current()), Revision: s.revision, File: s.file.path(), Warnings: s.problems(),
		Profiles: map[string]ProfileView{}, Names: s.keys.Names()}
	for _, name := range s.names() {
		v.Profiles[label(name)] = s.viewOf(s.effective(name))
	}
	return v
}

func (s *Store) viewOf(values map[string]Value) ProfileView {
	p := ProfileView{map[string]any{}, map[string]Origin{}}
	for _, k := range s.keys {
		v, has := values[k.Name]
		p.Values[k.Name] = v.Value
		if has {
			p.Sources[k.Name] = v.Origin
		}
	}
	return p
}
