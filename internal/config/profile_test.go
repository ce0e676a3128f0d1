package config_test

import (
	"reflect"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/fault"
)

const twoProfiles = `schemaVersion: 1
sessionDefaults: {scheme: G}
sessionDefaultsProfiles:
  tv: {scheme: TV}
  watch: {scheme: W, arch: arm64}
activeSessionDefaultsProfile: tv
`

func TestProfilesDoNotInherit(t *testing.T) {
	s, _ := open(t, twoProfiles, map[string]string{"IOS_AGENT_CONFIGURATION": "Release"})
	if got := active(s); s.Show().Active != "tv" || !reflect.DeepEqual(got, values{"scheme": "TV"}) {
		t.Errorf("%s: %v", s.Show().Active, got)
	}
	if err := s.Use(""); err != nil {
		t.Fatal(err)
	}
	if got := active(s); s.Show().Active != config.Global || !reflect.DeepEqual(got, values{"scheme": "G", "configuration": "Release"}) {
		t.Errorf("%s: %v", s.Show().Active, got)
	}
	if err := s.Use("watch"); err != nil || s.Show().Active != "watch" {
		t.Error(err)
	}
	if err := s.Use(config.Global); err != nil || s.Show().Active != config.Global {
		t.Error(err)
	}
	wantFault(t, s.Use("wach"), fault.InvalidInput, `unknown profile "wach"`, `did you mean "watch"?`, "createIfNotExists")
}

func TestSetCreatesAndActivatesProfile(t *testing.T) {
	s, _ := open(t, twoProfiles, nil)
	_, err := s.Set(config.Change{Profile: "new", Values: values{"scheme": "N"}})
	wantFault(t, err, fault.InvalidInput, `unknown profile "new"`)
	if s.Show().Active != "tv" {
		t.Error("a refused call switched the profile")
	}
	out, err := s.Set(config.Change{Profile: " new ", Create: true, Values: values{"scheme": "N"}})
	if err != nil || out.Profile != "new" || s.Show().Active != "new" {
		t.Errorf("%+v, %v, active %s", out, err, s.Show().Active)
	}
	if want := []string{`created profile "new"`, `profile "new" is now active`}; !reflect.DeepEqual(out.Notices, want) {
		t.Errorf("notices %q", out.Notices)
	}
	if _, err := s.Set(config.Change{Profile: config.Global, Values: values{"arch": "arm64"}}); err != nil {
		t.Fatal(err)
	}
	if got := active(s); !reflect.DeepEqual(got, values{"scheme": "G", "arch": "arm64"}) {
		t.Errorf("got %v", got)
	}
}

func TestClearRemovesKeysOrProfiles(t *testing.T) {
	for _, c := range []struct {
		name     string
		call     config.Clearing
		active   string
		want     values // of the active profile
		profiles int
	}{
		{"nothing given: the active profile", config.Clearing{}, config.Global, values{"scheme": "G"}, 2},
		{"no keys", config.Clearing{Keys: []string{}}, "tv", values{"scheme": "S", "arch": "arm64"}, 3},
		{"one key", config.Clearing{Keys: []string{"arch"}}, "tv", values{"scheme": "S"}, 3},
		{"a key the file has too", config.Clearing{Keys: []string{"scheme"}}, "tv", values{"arch": "arm64"}, 3},
		{"a key that is not set", config.Clearing{Keys: []string{"bundleId"}}, "tv", values{"scheme": "S", "arch": "arm64"}, 3},
		{"another profile", config.Clearing{Profile: "watch"}, "tv", values{"scheme": "S", "arch": "arm64"}, 2},
		{"the active one by name", config.Clearing{Profile: "tv"}, config.Global, values{"scheme": "G"}, 2},
		{"keys of another", config.Clearing{Profile: "watch", Keys: []string{"scheme"}}, "tv", values{"scheme": "S", "arch": "arm64"}, 3},
		{"the global one", config.Clearing{Profile: config.Global}, "tv", values{"scheme": "S", "arch": "arm64"}, 3},
		{"all", config.Clearing{All: true}, config.Global, values{}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, twoProfiles, nil)
			set(t, s, values{"scheme": "S", "arch": "arm64"})
			if err := s.Clear(c.call); err != nil {
				t.Fatal(err)
			}
			if got := active(s); s.Show().Active != c.active || !reflect.DeepEqual(got, c.want) || len(s.Show().Profiles) != c.profiles {
				t.Errorf("%s: %v of %d profiles", s.Show().Active, got, len(s.Show().Profiles))
			}
		})
	}
}

func TestClearRefusesInvalidRequests(t *testing.T) {
	for _, c := range []struct {
		call config.Clearing
		part string
	}{
		{config.Clearing{All: true, Keys: []string{"scheme"}}, "all cannot be combined"},
		{config.Clearing{All: true, Keys: []string{}}, "all cannot be combined"},
		{config.Clearing{All: true, Profile: "tv"}, "all cannot be combined"},
		{config.Clearing{Profile: "tvv"}, `unknown profile "tvv"`},
		{config.Clearing{Keys: []string{"sheme"}}, "did you mean scheme?"},
	} {
		s, _ := open(t, twoProfiles, nil)
		revision := s.Show().Revision
		wantFault(t, s.Clear(c.call), fault.InvalidInput, c.part)
		if s.Show().Revision != revision {
			t.Errorf("%+v changed the store", c.call)
		}
	}
}

// TestDeletedProfileStartsEmpty: made anew it is new, though the file still has one of that name.
func TestDeletedProfileStartsEmpty(t *testing.T) {
	s, _ := open(t, twoProfiles, nil)
	if err := s.Clear(config.Clearing{Profile: "tv"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Use("tv"); err == nil {
		t.Error("the deleted profile can be used")
	}
	if _, err := s.Set(config.Change{Profile: "tv", Create: true, Values: values{"arch": "arm64"}}); err != nil {
		t.Fatal(err)
	}
	if got := active(s); !reflect.DeepEqual(got, values{"arch": "arm64"}) {
		t.Errorf("got %v", got)
	}
}

func TestRevisionGrowsWithEveryChange(t *testing.T) {
	s, _ := open(t, twoProfiles, nil)
	last := s.Show().Revision
	for i, step := range []func() error{
		func() error { _, err := s.Set(config.Change{Values: values{"scheme": "A"}}); return err },
		func() error { return s.Use("watch") },
		func() error { return s.Clear(config.Clearing{Keys: []string{"scheme"}}) },
		func() error { return s.Clear(config.Clearing{}) },
		func() error { return s.Clear(config.Clearing{All: true}) },
		func() error { _, err := s.Persist(config.Change{Values: values{"scheme": "B"}}); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if s.Show().Revision <= last {
			t.Errorf("step %d: revision %d after %d", i, s.Show().Revision, last)
		}
		last = s.Show().Revision
	}
	s.Reload()
	if s.Show().Revision != last {
		t.Error("reading the same file again is no change")
	}
}
