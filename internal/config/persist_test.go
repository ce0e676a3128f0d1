package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/fault"
)

// persistCase is a call and the file before and after it.
type persistCase struct {
	name, before string
	call         config.Change
	after        string
}

func TestPersistKeepsTheRestOfTheFile(t *testing.T) {
	persist(t, []persistCase{
		{"new file", "", config.Change{Values: values{"scheme": "A", "useLatestOS": true}},
			"schemaVersion: 1\nsessionDefaults:\n  scheme: A\n  useLatestOS: true\n"},
		{"only the keys of the call", "sessionDefaults:\n  scheme: A\n  arch: arm64\n", config.Change{Values: values{"scheme": "B"}},
			"sessionDefaults:\n  scheme: B\n  arch: arm64\n"},
		{"comments, order, quotes and strangers stay", `# top
schemaVersion: 1

enabledWorkflows: ["simulator",  'device'] # as they like
sessionDefaults:
    # the main one
    scheme: 'Old'   # not the demo

    mystery: {a: [1, 2.50]}
    configuration: "Debug"
# the end
debug: on
`, config.Change{Values: values{"scheme": "New", "bundleId": "com.x"}}, `# top
schemaVersion: 1

enabledWorkflows: ["simulator",  'device'] # as they like
sessionDefaults:
    # the main one
    scheme: New # not the demo

    mystery: {a: [1, 2.50]}
    configuration: "Debug"
    bundleId: com.x
# the end
debug: on
`},
		{"the counterpart goes", "sessionDefaults:\n  workspacePath: W\n  scheme: A\n", config.Change{Values: values{"projectPath": "P"}},
			"sessionDefaults:\n  scheme: A\n  projectPath: P\n"},
		{"and what followed from it", "sessionDefaults:\n  simulatorId: U\n  simulatorPlatform: tvOS Simulator\n",
			config.Change{Values: values{"simulatorName": "Pad"}}, "sessionDefaults:\n  simulatorName: Pad\n"},
		{"the same simulator keeps it", "sessionDefaults:\n  simulatorName: Pad\n  simulatorPlatform: tvOS Simulator\n",
			config.Change{Values: values{"simulatorName": "Pad", "scheme": "A"}},
			"sessionDefaults:\n  simulatorName: Pad\n  simulatorPlatform: tvOS Simulator\n  scheme: A\n"},
		{"blank is nothing", "sessionDefaults:\n  scheme: A\n", config.Change{Values: values{"scheme": " "}},
			"sessionDefaults:\n  scheme: A\n"},
		{"no section yet", "debug: true", config.Change{Values: values{"scheme": "A"}}, "debug: true\nsessionDefaults:\n  scheme: A\n"},
		{"empty section", "sessionDefaults:\ndebug: true\n", config.Change{Values: values{"scheme": "A"}},
			"sessionDefaults:\n  scheme: A\ndebug: true\n"},
		{"section in one line", "a: 1 # x\nsessionDefaults: {scheme: A, arch: arm64} # y\n", config.Change{Values: values{"scheme": "B"}},
			"a: 1 # x\nsessionDefaults: # y\n  arch: arm64\n  scheme: B\n"},
		{"only comments", "# hello\n", config.Change{Values: values{"scheme": "A"}}, "# hello\nsessionDefaults:\n  scheme: A\n"},
	})
}

func TestPersistWritesEveryKindOfValue(t *testing.T) {
	persist(t, []persistCase{
		{"profile", "sessionDefaultsProfiles:\n  tv:\n    scheme: A\n  watch:\n    scheme: W\n",
			config.Change{Profile: "tv", Values: values{"arch": "arm64"}},
			"sessionDefaultsProfiles:\n  tv:\n    scheme: A\n    arch: arm64\n  watch:\n    scheme: W\n"},
		{"new profile", "sessionDefaultsProfiles:\n  tv:\n    scheme: A\n",
			config.Change{Profile: "my watch", Create: true, Values: values{"scheme": "W"}},
			"sessionDefaultsProfiles:\n  tv:\n    scheme: A\n  my watch:\n    scheme: W\n"},
		{"lists and maps", "sessionDefaults:\n  extraArgs:\n    - -quiet # hush\n    - a\n  scheme: A\n",
			config.Change{Values: values{"extraArgs": []string{"FOO=1 2", "-n"}, "env": map[string]string{"B": "true", "A": "x: #y"}}},
			"sessionDefaults:\n  extraArgs:\n    - \"FOO=1 2\"\n    - \"-n\"\n  scheme: A\n  env:\n    A: \"x: #y\"\n    B: \"true\"\n"},
		{"empty list", "", config.Change{Values: values{"extraArgs": []string{}, "env": map[string]string{}}},
			"schemaVersion: 1\nsessionDefaults:\n  env: {}\n  extraArgs: []\n"},
		{"block text before", "note: |\n  # not a comment\n\n  end\nsessionDefaults:\n  scheme: |-\n    A\n  arch: arm64\n",
			config.Change{Values: values{"scheme": "B"}},
			"note: |\n  # not a comment\n\n  end\nsessionDefaults:\n  scheme: B\n  arch: arm64\n"},
		{"text that looks like something else", "", config.Change{Values: values{"scheme": "yes", "configuration": "1.0",
			"bundleId": "é\n\"x\\"}},
			"schemaVersion: 1\nsessionDefaults:\n  scheme: \"yes\"\n  configuration: \"1.0\"\n  bundleId: \"é\\n\\\"x\\\\\"\n"},
		{"home", "", config.Change{Values: values{"derivedDataPath": "/home/me/dd"}},
			"schemaVersion: 1\nsessionDefaults:\n  derivedDataPath: \"~/dd\"\n"},
		{"elsewhere", "", config.Change{Values: values{"derivedDataPath": "/elsewhere/dd"}},
			"schemaVersion: 1\nsessionDefaults:\n  derivedDataPath: /elsewhere/dd\n"},
	})
}

func persist(t *testing.T, cases []persistCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, dir := open(t, c.before, nil)
			notices, err := s.Persist(c.call)
			if err != nil || len(notices) > 0 {
				t.Fatal(notices, err)
			}
			if got := read(t, dir); got != c.after {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.after)
			}
		})
	}
}

func TestPersistedValuesBelongToConfigLayer(t *testing.T) {
	s, dir := open(t, "", nil)
	if _, err := s.Persist(config.Change{Values: values{"projectPath": dir + "/sub/P.xcodeproj", "scheme": "A"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read(t, dir), "projectPath: sub/P.xcodeproj\n") {
		t.Errorf("not portable: %s", read(t, dir))
	}
	v := s.Show().Profiles[config.Global]
	if v.Values["projectPath"] != dir+"/sub/P.xcodeproj" || v.Sources["scheme"].Source != config.FromConfig {
		t.Errorf("got %v", v)
	}
	info, err := os.Stat(configFile(dir))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(filepath.Dir(configFile(dir))); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
}

func TestPersistInOneLineLosesComments(t *testing.T) {
	s, dir := open(t, "{\"debug\": true, # why\n \"sessionDefaults\": {\"scheme\": \"A\"}}\n", nil)
	notices, err := s.Persist(config.Change{Values: values{"scheme": "B"}})
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "without its comments") {
		t.Fatal(notices, err)
	}
	if got := read(t, dir); got != "debug: true\nsessionDefaults:\n  scheme: B\n" {
		t.Errorf("got %s", got)
	}
}

func TestPersistRefusesABrokenFile(t *testing.T) {
	for name, text := range map[string]string{
		"syntax":  "sessionDefaults:\n  scheme: [a\n",
		"version": "schemaVersion: 7\n",
		"list":    "- a\n",
		"section": "sessionDefaults: soon\n",
		"merge":   "base: &b\n  workspacePath: W\nsessionDefaults:\n  <<: *b\n  scheme: A\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t, text, nil)
			_, err := s.Persist(config.Change{Values: values{"projectPath": "P"}})
			wantFault(t, err, fault.PathError, configFile(dir)+":", "is not written over")
			if got := read(t, dir); got != text {
				t.Errorf("the file was changed: %s", got)
			}
		})
	}
}

func TestPersistRefusesInvalidValues(t *testing.T) {
	s, _ := open(t, "", nil)
	_, err := s.Persist(config.Change{Values: values{"arch": "mips"}})
	wantFault(t, err, fault.InvalidInput, "arch")
	_, err = s.Persist(config.Change{Profile: "tv", Values: values{"arch": "arm64"}})
	wantFault(t, err, fault.InvalidInput, `unknown profile "tv"`)
}

func TestPersistActiveStoresProfile(t *testing.T) {
	s, dir := open(t, "sessionDefaultsProfiles:\n  tv:\n    scheme: A\n", nil)
	if _, err := s.PersistActive("tv"); err != nil {
		t.Fatal(err)
	}
	if got := config.Open(config.Options{Dir: dir}).Show().Active; got != "tv" {
		t.Errorf("got %s", got)
	}
	if _, err := s.PersistActive(""); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir); strings.Contains(got, "active") {
		t.Errorf("got %s", got)
	}
	_, err := s.PersistActive("no")
	wantFault(t, err, fault.InvalidInput, `unknown profile "no"`)
	if _, err := s.Set(config.Change{Profile: "mine", Create: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PersistActive("mine"); err != nil {
		t.Fatal(err)
	}
	if again := config.Open(config.Options{Dir: dir}); again.Show().Active != "mine" || len(again.Warnings()) > 0 {
		t.Errorf("%s, %q: %s", again.Show().Active, again.Warnings(), read(t, dir))
	}
}

func TestPersistActiveOfGlobalCreatesNoFile(t *testing.T) {
	s, dir := open(t, "", nil)
	if _, err := s.PersistActive(config.Global); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(configFile(dir)); err == nil {
		t.Error("a file was made")
	}
}

func TestPersistFailsWithoutProjectFolder(t *testing.T) {
	s := config.Open(config.Options{Dir: filepath.Join(t.TempDir(), "gone")})
	_, err := s.Persist(config.Change{Values: values{"scheme": "A"}})
	wantFault(t, err, fault.PathError, "cannot be written")
}
