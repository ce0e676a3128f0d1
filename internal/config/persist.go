package config

import (
	"fmt"
	"os"
	"slices"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
)

// Persist writes the values of a session_set_defaults call into the project's config file: it sets the keys of the call and removes the
// other members of their groups. It does not change the session's own layer; call Set first. It never overwrites a file that it cannot
// read, and never writes Personal keys.
func (s *Store) Persist(c Change) (notices []string, err error) {
	values, err := s.checked(c.Values)
	if err != nil {
		return nil, err
	}
	name, err := s.target(c)
	if err != nil {
		return nil, err
	}
	for _, k := range s.keys {
		if _, given := values[k.Name]; given && k.Personal {
			delete(values, k.Name)
			notices = append(notices, fmt.Sprintf("%s is set for the session and was not written: %s", k.Name, k.elsewhere()))
		}
	}
	more, err := s.rewrite(func(now config) []edit { return s.edits(name, now, values) })
	return append(notices, more...), err
}

// PersistActive writes the profile with which a new session starts; "" and Global remove the choice.
func (s *Store) PersistActive(profile string) (notices []string, err error) {
	name, err := s.target(Change{Profile: label(named(profile))})
	if err != nil {
		return nil, err
	}
	e := edit{path: []string{keyActive}}
	if name != "" {
		e.value = toTree(name)
	}
	return s.rewrite(func(now config) []edit {
		if _, filed := now.profiles[name]; !filed && name != "" { // a new session can only start with a profile that exists
			return []edit{{[]string{keyProfiles, name}, map[string]any{}}, e}
		}
		return []edit{e}
	})
}

// target returns the name of the profile that a change is for.
func (s *Store) target(c Change) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if blank(c.Profile) {
		return s.current(), nil
	}
	if name := named(c.Profile); c.Create || s.exists(name) {
		return name, nil
	}
	return "", s.noProfile(c.Profile)
}

func (s *Store) edits(name string, now config, values map[string]any) []edit {
	path := []string{keyGlobal}
	if name != "" {
		path = []string{keyProfiles, name}
	}
	at := func(key string) []string { return append(path[:len(path):len(path)], key) }
	var edits []edit
	for _, k := range s.keys {
		if v, given := values[k.Name]; given {
			edits = append(edits, edit{at(k.Name), toTree(s.share(k, v))})
		}
	}
	for _, gone := range outdated(now.profiles[name].values, values) {
		edits = append(edits, edit{path: at(gone.key)})
	}
	return edits
}

func (f folders) share(k Key, value any) any {
	if !k.Path {
		return value
	}
	return f.portable(value.(string))
}

// rewrite reads the file, applies the edits and uses the result as the new config layer.
func (s *Store) rewrite(edits func(config) []edit) ([]string, error) {
	if s.project == "" {
		return nil, fault.New(fault.PathError, "cannot store defaults: this session has no project folder").
			WithHint("work from the project's folder, or leave out persist")
	}
	s.filing.Lock()
	defer s.filing.Unlock()
	s.take(s.file.state()) // read again, because other programs write the file too
	doc, err := s.config.document()
	if err != nil {
		return nil, s.refusal(err)
	}
	todo := edits(s.config)
	if !s.config.known && !slices.ContainsFunc(todo, func(e edit) bool { return e.value != nil }) {
		return nil, nil // a missing file has no keys to remove
	}
	if !s.config.known {
		todo = append([]edit{{[]string{keyVersion}, scalar{Tag: docfile.TagNumber, Text: schemaVersion}}}, todo...)
	}
	return s.save(doc, todo)
}

func (s *Store) save(doc document, todo []edit) (notices []string, err error) {
	if len(todo) == 0 {
		return nil, nil
	}
	text, kept, err := doc.patch(todo)
	if err != nil {
		return nil, s.refusal(err)
	}
	if text != doc.Text {
		if err := s.file.write(text); err != nil {
			return nil, s.unwritable(err)
		}
		s.take(s.file.state())
	}
	if !kept {
		notices = append(notices, fmt.Sprintf("%s was rewritten without its comments", s.file.path()))
	}
	return notices, nil
}

func (s *Store) refusal(err error) error {
	return fault.New(fault.PathError, "%s is not written over: %s", place(s.file, err), docfile.Reason(err)).
		WithHint("correct the file or remove it, then repeat the call; the session has the values in any case")
}

func (s *Store) unwritable(err error) error {
	if os.IsPermission(err) {
		return fault.New(fault.Sandboxed, "%s cannot be written: %w", s.file.path(), err).
			WithHint("allow this sandbox to write %s, or leave out persist", s.file.path())
	}
	return fault.New(fault.PathError, "%s cannot be written: %w", s.file.path(), err)
}
