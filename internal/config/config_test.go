package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"ios-agent/internal/config"
)

func TestConfigFileSetsDefaults(t *testing.T) {
	s, dir := open(t, `# ours
schemaVersion: 1
enabledWorkflows: [simulator]
base: &base {configuration: Debug}
sessionDefaults:
  <<: *base
  projectPath: ./App.xcodeproj
  derivedDataPath: ~/dd
  scheme: 2048
  useLatestOS: yes
  suppressWarnings: false
  bundleId: ""
  deviceId:
  env: {DEBUG: 1, NAME: "a b", ON: true}
  extraArgs:
    - -quiet
    - FOO=1
`, nil)
	want := values{
		"configuration": "Debug", "projectPath": dir + "/App.xcodeproj", "derivedDataPath": "/home/me/dd", "scheme": "2048",
		"useLatestOS": true, "suppressWarnings": false, "env": map[string]string{"DEBUG": "1", "NAME": "a b", "ON": "true"},
		"extraArgs": []string{"-quiet", "FOO=1"},
	}
	if got := active(s); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
}

func TestInvalidConfigIsIgnoredWithWarning(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // parts of the only warning
		ignored    bool     // the whole file
	}{
		{"syntax", "sessionDefaults:\n  scheme: [a\n", []string{"config.yaml:", "is ignored"}, true},
		{"line", "a: 1\nsessionDefaults:\n\tscheme: A\n", []string{"config.yaml:3 is ignored"}, true},
		{"twice", "sessionDefaults:\n  scheme: A\n  scheme: B\n", []string{"config.yaml:3 is ignored"}, true},
		{"version", "sessionDefaults: {scheme: A}\nschemaVersion: 2\n",
			[]string{"config.yaml:2 is ignored: schemaVersion must be 1"}, true},
		{"list", "- a\n", []string{"config.yaml:1 is ignored: the file must be a mapping"}, true},
		{"documents", "a: 1\n---\nb: 1\n", []string{"more than one document"}, true},
		{"section", "a: 1\nsessionDefaults: [scheme]\n", []string{"config.yaml:2 is ignored: sessionDefaults must be a mapping"}, true},
		{"profile", "sessionDefaultsProfiles:\n  tv: 1\n", []string{"config.yaml:2 is ignored: tv must be a mapping"}, true},
		{"alias", "sessionDefaults: *nothing\n", []string{"config.yaml:1 is ignored"}, true},
		{"too deep", "a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", []string{"too deep"}, true},
		{"too large", strings.Repeat("# x\n", 20_000), []string{"is ignored: larger than"}, true},
		{"bomb", bomb(), []string{"too much"}, true},
		{"unknown key", "sessionDefaults:\n  scheme: A\n  sheme: B\n",
			[]string{`config.yaml:3: "sheme" is not a session default; did you mean scheme?`}, false},
		{"bad value", "sessionDefaults:\n  scheme: A\n  arch: mips\n",
			[]string{"config.yaml:3: arch is ignored: expected one of arm64, x86_64"}, false},
		{"bad bool", "sessionDefaults:\n  scheme: A\n  useLatestOS: maybe\n", []string{"config.yaml:3: useLatestOS is ignored"}, false},
		{"bad list", "sessionDefaults:\n  scheme: A\n  extraArgs: -quiet\n",
			[]string{"config.yaml:3: extraArgs is ignored: expected a list"}, false},
		{"bad text", "sessionDefaults:\n  scheme: A\n  bundleId: [a]\n",
			[]string{"config.yaml:3: bundleId is ignored: expected a string, got a list"}, false},
		{"active", "sessionDefaults: {scheme: A}\nactiveSessionDefaultsProfile: tv\n", []string{`config.yaml:2: unknown profile "tv"`},
			false},
		{"reserved name", "sessionDefaults: {scheme: A}\nsessionDefaultsProfiles:\n  (default): {}\n",
			[]string{`config.yaml:3: a profile cannot be called "(default)"`}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, c.text, nil)
			w := s.Warnings()
			if len(w) != 1 {
				t.Fatalf("warnings %q", w)
			}
			for _, part := range c.want {
				if !strings.Contains(w[0], part) {
					t.Errorf("%q is not in %q", part, w[0])
				}
			}
			if got := active(s)["scheme"] == nil; got != c.ignored {
				t.Errorf("ignored: %v", got)
			}
		})
	}
}

// bomb means 2^30 nodes.
func bomb() string {
	text := "a0: &a0 [x]\n"
	for i := range 30 {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return text
}

func TestEmptyFilesGiveNoWarnings(t *testing.T) {
	for _, text := range []string{"\n", "# nothing\n", "---\n", "{}\n", "sessionDefaults:\n", "sessionDefaultsProfiles:\n  tv:\n",
		"null\n"} {
		if s, _ := open(t, text, nil); len(s.Warnings()) > 0 || len(active(s)) > 0 {
			t.Errorf("%q: %q, %v", text, s.Warnings(), active(s))
		}
	}
}

func TestReloadReadsChangedFile(t *testing.T) {
	s, dir := open(t, "sessionDefaults: {scheme: A}\n", nil)
	if err := os.WriteFile(configFile(dir), []byte("sessionDefaults: {scheme: B}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Reload()
	if got := active(s)["scheme"]; got != "B" {
		t.Errorf("got %v", got)
	}
	if err := os.Remove(configFile(dir)); err != nil {
		t.Fatal(err)
	}
	s.Reload()
	if got := active(s); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// TestConfigThatIsLinkOrPipeIsIgnored: a project's file may not lead out of the project, nor hang the daemon.
func TestConfigThatIsLinkOrPipeIsIgnored(t *testing.T) {
	outside := project(t, "sessionDefaults: {scheme: Secret}\n")
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, ".ios-agent"), filepath.Join(linked, ".ios-agent")); err != nil {
		t.Fatal(err)
	}
	piped := t.TempDir()
	if err := os.Mkdir(filepath.Join(piped, ".ios-agent"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(configFile(piped), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{linked, piped} {
		s := config.Open(config.Options{Dir: dir})
		if got := active(s); len(got) > 0 || len(s.Warnings()) != 1 {
			t.Errorf("%v, %q", got, s.Warnings())
		}
	}
}

func TestFolderFindsProjectRoot(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	own := filepath.Join(top, "own")
	for _, dir := range []string{deep, filepath.Join(top, ".git"), filepath.Join(own, ".ios-agent")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(configFile(own), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{deep: top, top: top, own: own, "/": "/"} {
		if got := config.Folder(cwd); got != want {
			t.Errorf("%s: %s, want %s", cwd, got, want)
		}
	}
}

func TestVariablesSetDefaults(t *testing.T) {
	s, dir := open(t, "", map[string]string{
		"IOS_AGENT_SCHEME": "Ours", "XCODEBUILDMCP_SCHEME": "Theirs", "XCODEBUILDMCP_CONFIGURATION": "Release",
		"IOS_AGENT_PROJECT_PATH": "App.xcodeproj", "IOS_AGENT_USE_LATEST_OS": "Off", "XCODEBUILDMCP_SUPPRESS_WARNINGS": "on",
		"IOS_AGENT_BUNDLE_ID": "  ", "XCODEBUILDMCP_BUNDLE_ID": "com.x", "IOS_AGENT_ARCH": "mips", "XCODEBUILDMCP_ARCH": "arm64",
		"IOS_AGENT_PREFER_XCODEBUILD": "perhaps", "IOS_AGENT_ENV": "A=1", "IOS_AGENT_EXTRA_ARGS": "-quiet",
	})
	want := values{"scheme": "Ours", "configuration": "Release", "projectPath": dir + "/App.xcodeproj", "useLatestOS": false,
		"suppressWarnings": true, "bundleId": "com.x", "arch": "arm64"}
	if got := active(s); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	w := strings.Join(s.Warnings(), "\n")
	if !strings.Contains(w, "IOS_AGENT_ARCH is ignored") || !strings.Contains(w, "IOS_AGENT_PREFER_XCODEBUILD is ignored") ||
		len(s.Warnings()) != 2 {
		t.Errorf("warnings %s", w)
	}
}

func TestShowTellsTheSource(t *testing.T) {
	s, dir := open(t, "sessionDefaults: {configuration: Release, projectPath: P}\nsessionDefaultsProfiles: {tv: {scheme: T}}\n",
		map[string]string{"XCODEBUILDMCP_ARCH": "arm64", "IOS_AGENT_CONFIGURATION": "Debug", "IOS_AGENT_WORKSPACE_PATH": "W"})
	set(t, s, values{"scheme": "A"})
	v := s.Show()
	want := map[string]config.Origin{
		"scheme":        {Source: config.FromSession, From: "session_set_defaults"},
		"configuration": {Source: config.FromConfig, From: configFile(dir)},
		"projectPath":   {Source: config.FromConfig, From: configFile(dir)},
		"arch":          {Source: config.FromEnv, From: "XCODEBUILDMCP_ARCH"},
	}
	if got := v.Profiles[config.Global].Sources; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for name, p := range v.Profiles {
		if len(p.Values) != len(config.Keys().Names()) {
			t.Errorf("%s: %d keys", name, len(p.Values))
		}
	}
	if v.File != configFile(dir) || v.Active != config.Global || len(v.Profiles) != 2 {
		t.Errorf("got %+v", v)
	}
}
