package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/fault"
)

func TestSetKeepsOtherKeysAndClearsExclusive(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  values
		call    values
		want    values
		notices []string
	}{
		{"first", nil, values{"scheme": "A", "useLatestOS": true}, values{"scheme": "A", "useLatestOS": true}, nil},
		{"other keys stay", values{"scheme": "A"}, values{"arch": "arm64"}, values{"scheme": "A", "arch": "arm64"}, nil},
		{"one side removes the other", values{"workspacePath": "/w"}, values{"projectPath": "/p"},
			values{"projectPath": "/p"}, []string{"cleared workspacePath, because projectPath was set"}},
		{"and back", values{"projectPath": "/p"}, values{"workspacePath": "/w"},
			values{"workspacePath": "/w"}, []string{"cleared projectPath, because workspacePath was set"}},
		{"name removes id", values{"simulatorId": "U"}, values{"simulatorName": "N"},
			values{"simulatorName": "N"}, []string{"cleared simulatorId, because simulatorName was set"}},
		{"a blank side removes nothing", values{"workspacePath": "/w"}, values{"projectPath": ""}, values{"workspacePath": "/w"}, nil},
		{"nor does white space", values{"simulatorName": "N"}, values{"simulatorId": " \t"}, values{"simulatorName": "N"}, nil},
		{"nor does null", values{"simulatorName": "N"}, values{"simulatorId": nil}, values{"simulatorName": "N"}, nil},
		{"blank does not overwrite", values{"scheme": "A"}, values{"scheme": ""}, values{"scheme": "A"}, nil},
		{"blank and full are no conflict", nil, values{"projectPath": "", "workspacePath": "/w"}, values{"workspacePath": "/w"}, nil},
		{"another simulator forgets the platform", values{"simulatorName": "N", "simulatorPlatform": "tvOS Simulator"},
			values{"simulatorName": "M"}, values{"simulatorName": "M"},
			[]string{"cleared simulatorPlatform, because simulatorName was set"}},
		{"the same simulator keeps it", values{"simulatorName": "N", "simulatorPlatform": "tvOS Simulator"},
			values{"simulatorName": "N"}, values{"simulatorName": "N", "simulatorPlatform": "tvOS Simulator"}, nil},
		{"a platform in the call counts", values{"simulatorName": "N", "simulatorPlatform": "tvOS Simulator"},
			values{"simulatorName": "M", "simulatorPlatform": "iOS Simulator"},
			values{"simulatorName": "M", "simulatorPlatform": "iOS Simulator"}, nil},
		{"env as map", nil, values{"env": map[string]any{"A": "1"}}, values{"env": map[string]string{"A": "1"}}, nil},
		{"env as pairs", nil, values{"env": []any{map[string]any{"key": "A", "value": "1"}}},
			values{"env": map[string]string{"A": "1"}}, nil},
		{"list", nil, values{"extraArgs": []any{"-quiet"}}, values{"extraArgs": []string{"-quiet"}}, nil},
		{"empty list is a value", values{"extraArgs": []string{"-quiet"}}, values{"extraArgs": []any{}},
			values{"extraArgs": []string{}}, nil},
		{"url", nil, values{"projectPath": "file:///a%20b/P.xcodeproj"}, values{"projectPath": "/a b/P.xcodeproj"}, nil},
		{"local url", nil, values{"projectPath": "file://localhost/P"}, values{"projectPath": "/P"}, nil},
		{"home", nil, values{"derivedDataPath": "~/dd"}, values{"derivedDataPath": "/home/me/dd"}, nil},
		{"not a path", nil, values{"scheme": "~/x"}, values{"scheme": "~/x"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, "", nil)
			set(t, s, c.before)
			out := set(t, s, c.call)
			if got := active(s); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if !slices.Equal(out.Notices, c.notices) {
				t.Errorf("notices %q, want %q", out.Notices, c.notices)
			}
		})
	}
}

func TestSetResolvesAgainstTheProject(t *testing.T) {
	s, dir := open(t, "", nil)
	set(t, s, values{"projectPath": "sub/../P.xcodeproj", "derivedDataPath": "file:dd"})
	want := values{"projectPath": dir + "/P.xcodeproj", "derivedDataPath": dir + "/dd"}
	if got := active(s); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestSetRefusesInvalidValues(t *testing.T) {
	for _, c := range []struct {
		call  values
		parts []string
	}{
		{values{"projectPath": "/p", "workspacePath": "/w"},
			[]string{"Parameter validation failed: projectPath: projectPath and workspacePath are mutually exclusive"}},
		{values{"simulatorName": "N", "simulatorId": "U"}, []string{"simulatorId: simulatorId and simulatorName are mutually exclusive"}},
		{values{"sheme": "A"}, []string{"sheme", "did you mean scheme?"}},
		{values{"quux": "A"}, []string{"quux", "the keys are projectPath"}},
		{values{"scheme": 3.0}, []string{"scheme: expected a string, got a number"}},
		{values{"useLatestOS": "yes"}, []string{`useLatestOS: expected true or false, got "yes"`}},
		{values{"arch": "mips"}, []string{`arch: expected one of arm64, x86_64, got "mips"`}},
		{values{"simulatorPlatform": "macOS"}, []string{"visionOS Simulator"}},
		{values{"env": "A=1"}, []string{"env: expected a map of strings"}},
		{values{"env": map[string]any{"A": 1.0}}, []string{`entry "A" is a number`}},
		{values{"env": map[string]string{"A=B": "x"}}, []string{`entry "A=B"`}},
		{values{"env": []any{"A"}}, []string{`entry "" is null`}},
		{values{"extraArgs": "-quiet"}, []string{"extraArgs: expected a list of strings"}},
		{values{"extraArgs": []any{"-quiet", true}}, []string{"item 2 is true"}},
		{values{"projectPath": "file://elsewhere/P"}, []string{"names another machine"}},
		{values{"projectPath": "file:%zz"}, []string{"projectPath"}},
	} {
		s, _ := open(t, "", nil)
		set(t, s, values{"scheme": "Before"})
		revision := s.Show().Revision
		_, err := s.Set(config.Change{Values: c.call})
		wantFault(t, err, fault.InvalidInput, c.parts...)
		if got := active(s); !reflect.DeepEqual(got, values{"scheme": "Before"}) || s.Show().Revision != revision {
			t.Errorf("%v: a refused call changed the store: %v", c.call, got)
		}
	}
}

func TestRelativePathNeedsProjectFolder(t *testing.T) {
	s := config.Open(config.Options{})
	_, err := s.Set(config.Change{Values: values{"projectPath": "P"}})
	wantFault(t, err, fault.InvalidInput, "no project folder")
	_, err = s.Set(config.Change{Values: values{"projectPath": "~/P"}})
	wantFault(t, err, fault.InvalidInput, "home folder")
	_, err = s.Persist(config.Change{Values: values{"scheme": "A"}})
	wantFault(t, err, fault.PathError, "no project folder")
}

// TestReplacedExclusiveValueStaysHidden: what a session replaced does not come back from the file when the replacement is cleared.
func TestReplacedExclusiveValueStaysHidden(t *testing.T) {
	s, _ := open(t, "sessionDefaults:\n  projectPath: P\n", map[string]string{"IOS_AGENT_SIMULATOR_NAME": "N"})
	set(t, s, values{"workspacePath": "/w", "simulatorId": "U"})
	if err := s.Clear(config.Clearing{Keys: []string{"workspacePath", "simulatorId"}}); err != nil {
		t.Fatal(err)
	}
	if got := active(s); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestStoreWorksWithoutFile(t *testing.T) {
	s := config.New(config.Options{})
	if _, err := s.Set(config.Change{Profile: "a", Create: true, Values: values{"scheme": "A"}}); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Merge(config.Spec{Keys: []string{"scheme"}}, nil); err != nil || text(m, "scheme") != "A" {
		t.Errorf("%v, %v", m, err)
	}
}

// TestDefaultsAreBounded: neither a long value nor many profiles or names make a session large.
func TestDefaultsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 40_000)
	for name, change := range map[string]func(i int) config.Change{
		"a long value": func(int) config.Change { return config.Change{Values: values{"scheme": long}} },
		"a long name":  func(int) config.Change { return config.Change{Profile: long, Create: true} },
		"many arguments": func(int) config.Change {
			return config.Change{Values: values{"extraArgs": strings.Split(long, "")}}
		},
		"many profiles": func(i int) config.Change { return config.Change{Profile: fmt.Sprint(i), Create: true} },
	} {
		s, _ := open(t, "", nil)
		var err error
		for i := 0; i < 1000 && err == nil; i++ {
			_, err = s.Set(change(i))
		}
		if f := fault.From(err); f == nil || f.Code != fault.TooMany || !strings.Contains(f.Message, "32768") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Set(config.Change{Values: values{"scheme": "A"}}); err != nil && name != "many profiles" {
			t.Errorf("after %s: %v", name, err)
		}
	}
}
