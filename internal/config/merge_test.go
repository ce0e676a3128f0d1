package config_test

import (
	"reflect"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// buildSim is what the source system's build_sim declares.
func buildSim() config.Spec {
	return config.Spec{
		Keys: []string{"projectPath", "workspacePath", "scheme", "configuration", "simulatorId", "simulatorName", "useLatestOS",
			"derivedDataPath", "extraArgs", "env"},
		Require: []config.Requirement{
			{AllOf: []string{"scheme"}, Message: "scheme is required"},
			{OneOf: []string{"projectPath", "workspacePath"}, Message: "Provide a project or workspace"},
			{OneOf: []string{"simulatorId", "simulatorName"}, Message: "Provide simulatorId or simulatorName"},
		},
	}
}

// full has all that build_sim needs, twice over.
const full = `sessionDefaults:
  projectPath: /p
  workspacePath: /w
  scheme: S
  simulatorId: U
  simulatorName: Pad
  deviceId: D
  useLatestOS: true
`

func TestMergeFollowsItsSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		args values
		want values
	}{
		{"1: null never overrides", values{"scheme": nil}, values{"projectPath": "/p", "scheme": "S", "simulatorId": "U",
			"useLatestOS": true}},
		{"1: nor does blank", values{"scheme": "  "}, values{"projectPath": "/p", "scheme": "S", "simulatorId": "U", "useLatestOS": true}},
		{"1: false is a value", values{"useLatestOS": false},
			values{"projectPath": "/p", "scheme": "S", "simulatorId": "U", "useLatestOS": false}},
		{"1: blank is text where there is no default", values{"text": " "},
			values{"text": " ", "projectPath": "/p", "scheme": "S", "simulatorId": "U", "useLatestOS": true}},
		{"2: blank and full are no conflict", values{"projectPath": "", "workspacePath": "/x"},
			values{"workspacePath": "/x", "scheme": "S", "simulatorId": "U", "useLatestOS": true}},
		{"3: deviceId is not in the schema", nil, values{"projectPath": "/p", "scheme": "S", "simulatorId": "U", "useLatestOS": true}},
		{"4: the call wins", values{"scheme": "T"}, values{"projectPath": "/p", "scheme": "T", "simulatorId": "U", "useLatestOS": true}},
		{"4: strangers pass", values{"x": 1.0}, values{"x": 1.0, "projectPath": "/p", "scheme": "S", "simulatorId": "U",
			"useLatestOS": true}},
		{"5: a member from the call ousts defaults", values{"workspacePath": "/x", "simulatorName": "Q"},
			values{"workspacePath": "/x", "scheme": "S", "simulatorName": "Q", "useLatestOS": true}},
		{"6: the first in rank", values{"simulatorId": "V"},
			values{"projectPath": "/p", "scheme": "S", "simulatorId": "V", "useLatestOS": true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, full, nil)
			m, err := s.Merge(buildSim(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := args(m); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v\nwant %v", got, c.want)
			}
		})
	}
}

func TestMergeResolvesPaths(t *testing.T) {
	s, dir := open(t, full, nil)
	m, err := s.Merge(buildSim(), values{"projectPath": "App.xcodeproj", "derivedDataPath": "~/dd"})
	if err != nil || text(m, "projectPath") != dir+"/App.xcodeproj" || text(m, "derivedDataPath") != "/home/me/dd" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestMergeKeepsFirstOfExclusiveGroup(t *testing.T) {
	s, _ := open(t, full, nil)
	spec := buildSim()
	spec.Exclusive = [][]string{{"workspacePath", "projectPath"}}
	m, err := s.Merge(spec, nil)
	if err != nil || text(m, "projectPath") != "" || text(m, "workspacePath") != "/w" || text(m, "simulatorName") == "" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestMergeRefusesExclusiveArguments(t *testing.T) {
	s, _ := open(t, full, nil)
	_, err := s.Merge(buildSim(), values{"projectPath": "/a", "workspacePath": "/b"})
	wantFault(t, err, fault.InvalidInput,
		"Parameter validation failed: Mutually exclusive parameters provided: projectPath, workspacePath. Provide only one.")
	spec := config.Spec{Exclusive: [][]string{{"testProductsPath", "xctestrunPath"}}}
	_, err = s.Merge(spec, values{"testProductsPath": "/a", "xctestrunPath": "/b"})
	wantFault(t, err, fault.InvalidInput, "testProductsPath, xctestrunPath")
	_, err = s.Merge(buildSim(), values{"extraArgs": "x", "scheme": "S"})
	wantFault(t, err, fault.InvalidInput, "extraArgs: expected a list")
}

func TestMergeReportsMissingRequirements(t *testing.T) {
	launch := config.Spec{Keys: []string{"scheme", "deviceId", "bundleId"}, Require: []config.Requirement{
		{AllOf: []string{"scheme", "deviceId"}}, {OneOf: []string{"bundleId", "pid"}}, {AllOf: []string{"appPath"}, Message: "which app?"},
	}}
	set := func(pairs ...any) string { return hint.Do(config.Tool, pairs...) }
	disabled := buildSim()
	disabled.Title = config.MissingParameters
	for _, c := range []struct {
		name  string
		spec  config.Spec
		args  values
		parts []string
	}{
		{"the first failure", buildSim(), nil,
			[]string{"Missing required session defaults: scheme is required\nSet with: " + set("scheme", "SCHEME")}},
		{"alternatives", buildSim(), values{"scheme": "S"},
			[]string{"Missing required session defaults: Provide a project or workspace\n" +
				"Set with: " + set("projectPath", "PROJECT_PATH") + " OR " + set("workspacePath", "WORKSPACE_PATH")}},
		{"blank is missing", buildSim(), values{"scheme": "S", "projectPath": "/p", "simulatorId": " "},
			[]string{"Provide simulatorId or simulatorName"}},
		{"title", disabled, nil, []string{"Missing required parameters: scheme is required"}},
		{"only what is missing", launch, values{"scheme": "S"}, []string{"Required: deviceId", set("deviceId", "DEVICE_ID")}},
		{"all in one call", launch, nil, []string{"Required: scheme, deviceId", set("scheme", "SCHEME", "deviceId", "DEVICE_ID")}},
		{"some have no default", launch, values{"scheme": "S", "deviceId": "D"},
			[]string{"Provide one of: bundleId, pid", set("bundleId", "BUNDLE_ID") + " OR Pass in the call: pid"}},
		{"none has", launch, values{"scheme": "S", "deviceId": "D", "pid": 1.0, "appPath": ""},
			[]string{"which app?\nPass in the call: appPath"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, "", nil)
			_, err := s.Merge(c.spec, c.args)
			wantFault(t, err, fault.InvalidInput, c.parts...)
		})
	}
}

func TestMergeDropsKeysOfSpec(t *testing.T) {
	const text = "sessionDefaults: {projectPath: /p, scheme: S, configuration: C, derivedDataPath: /d, deviceId: D, arch: arm64, " +
		"extraArgs: [-scheme, X, -quiet, -workspace, Y, build, A=1]}\n"
	spec := config.Spec{
		Keys: config.Keys().Names(),
		Drop: []config.Drop{config.ForTesting(), config.Prepared(), {Keys: []string{"arch"}}},
	}
	for _, c := range []struct {
		name    string
		args    values
		present []string
		absent  []string
	}{
		{"always", nil, []string{"projectPath", "deviceId"}, []string{"arch"}},
		{"false is not given", values{"buildForTesting": false}, []string{"deviceId"}, nil},
		{"for testing", values{"buildForTesting": true}, []string{"projectPath"}, []string{"deviceId"}},
		{"what the caller gave stays", values{"buildForTesting": true, "deviceId": "E", "arch": "x86_64"},
			[]string{"deviceId", "arch"}, nil},
		{"prepared", values{"xctestrunPath": "/x"}, []string{"deviceId", "extraArgs"},
			[]string{"projectPath", "scheme", "configuration", "derivedDataPath"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, text, nil)
			m, err := s.Merge(spec, c.args)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range c.present {
				if _, has := m.Values[key]; !has {
					t.Errorf("%s is missing", key)
				}
			}
			for _, key := range c.absent {
				if v, has := m.Values[key]; has {
					t.Errorf("%s is %v", key, v)
				}
			}
		})
	}
	s, _ := open(t, text, nil)
	m, _ := s.Merge(spec, values{"testProductsPath": "/x"})
	if got := m.Values["extraArgs"].Value; !reflect.DeepEqual(got, []string{"-quiet", "A=1"}) {
		t.Errorf("got %q", got)
	}
}

func TestMergeCombinesEnvByName(t *testing.T) {
	s, dir := open(t, "sessionDefaults: {env: {A: low, B: low}}\n", nil)
	spec := config.Spec{Keys: []string{"env"}}
	m, err := s.Merge(spec, values{"env": map[string]any{"B": "call", "C": "call"}})
	if err != nil || !reflect.DeepEqual(m.Values["env"].Value, map[string]string{"A": "low", "B": "call", "C": "call"}) {
		t.Errorf("%v, %v", m, err)
	}
	v := m.Values["env"]
	if v.Source != config.FromCall || !reflect.DeepEqual(v.With, []config.Origin{{Source: config.FromConfig, From: configFile(dir)}}) {
		t.Errorf("got %+v", v)
	}
	m.Values["env"].Value.(map[string]string)["A"] = "spoilt"
	if again, _ := s.Merge(spec, nil); again.Values["env"].Value.(map[string]string)["A"] != "low" {
		t.Error("a caller can change the store")
	}
	if m, _ = s.Merge(spec, values{"env": map[string]any{"A": "x", "B": "y"}}); m.Values["env"].With != nil {
		t.Error("nothing of the default is left, yet it is named")
	}
}

func TestMergeReplacesSameExtraArgs(t *testing.T) {
	for _, c := range []struct {
		name            string
		below, explicit []string
		want            []string
		mixed           bool
	}{
		{"empty clears", []string{"-quiet"}, []string{}, []string{}, false},
		{"appended", []string{"-quiet"}, []string{"-json"}, []string{"-quiet", "-json"}, true},
		{"same switch once", []string{"-quiet", "-json"}, []string{"-quiet"}, []string{"-json", "-quiet"}, true},
		{"option with value", []string{"-jobs", "4", "-quiet"}, []string{"-jobs", "8"}, []string{"-quiet", "-jobs", "8"}, true},
		{"value like an option", []string{"-testPlan", "-x", "-quiet"}, []string{"-testPlan", "T"},
			[]string{"-quiet", "-testPlan", "T"}, true},
		{"all of a repeated one", []string{"-only-testing:A", "-only-testing:B"}, []string{"-only-testing:C"}, []string{"-only-testing:C"},
			false},
		{"colon and space are the same", []string{"-only-testing", "A"}, []string{"-only-testing:C"}, []string{"-only-testing:C"}, false},
		{"user default", []string{"-IDEFoo=YES", "-n"}, []string{"-IDEFoo=NO"}, []string{"-n", "-IDEFoo=NO"}, true},
		{"unknown option with value", []string{"-newThing", "x", "build"}, []string{"-newThing", "y"},
			[]string{"build", "-newThing", "y"}, true},
		{"unknown switch before an action", []string{"-newThing", "build"}, []string{"build"}, []string{"-newThing", "build"}, true},
		{"unknown switch before a setting", []string{"-newThing", "A=1"}, []string{"A=2"}, []string{"-newThing", "A=2"}, true},
		{"switch before a word", []string{"-quiet", "word"}, []string{"-quiet"}, []string{"word", "-quiet"}, true},
		{"setting", []string{"A=1", "B=2"}, []string{"A=3"}, []string{"B=2", "A=3"}, true},
		{"conditional setting", []string{"A[sdk=iphoneos*]=1", "A=0"}, []string{"A[sdk=iphoneos*]=2"},
			[]string{"A=0", "A[sdk=iphoneos*]=2"}, true},
		{"other condition", []string{"A[arch=arm64]=1"}, []string{"A[arch=x86_64]=2"},
			[]string{"A[arch=arm64]=1", "A[arch=x86_64]=2"}, true},
		{"several conditions", []string{"A[sdk=i*][arch=arm64]=1"}, []string{"A[sdk=i*][arch=arm64]=2"},
			[]string{"A[sdk=i*][arch=arm64]=2"}, false},
		{"plain ousts conditional", []string{"A[sdk=iphoneos*]=1"}, []string{"A=2"}, []string{"A=2"}, false},
		{"option without its value at the end", []string{"-scheme"}, []string{"-quiet"}, []string{"-scheme", "-quiet"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, "", nil)
			set(t, s, values{"extraArgs": c.below})
			m, err := s.Merge(config.Spec{Keys: []string{"extraArgs"}}, values{"extraArgs": c.explicit})
			if err != nil || !reflect.DeepEqual(m.Values["extraArgs"].Value, c.want) {
				t.Errorf("%q, %v, want %q", m.Values["extraArgs"].Value, err, c.want)
			}
			if v := m.Values["extraArgs"]; v.Source != config.FromCall || (v.With != nil) != c.mixed {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestMergeReportsSourceOfEachValue(t *testing.T) {
	s, dir := open(t, "sessionDefaults: {configuration: C}\n", map[string]string{"IOS_AGENT_PROJECT_PATH": "/p"})
	set(t, s, values{"scheme": "S"})
	m, err := s.Merge(buildSim(), values{"simulatorName": "Pad"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]config.Value{
		"simulatorName": {Value: "Pad", Origin: config.Origin{Source: config.FromCall}},
		"scheme":        {Value: "S", Origin: config.Origin{Source: config.FromSession, From: config.Tool}},
		"configuration": {Value: "C", Origin: config.Origin{Source: config.FromConfig, From: configFile(dir)}},
		"projectPath":   {Value: "/p", Origin: config.Origin{Source: config.FromEnv, From: "IOS_AGENT_PROJECT_PATH"}},
	}
	if !reflect.DeepEqual(m.Values, want) || m.Profile != config.Global {
		t.Errorf("got %+v", m)
	}
}

// The device that a session works with fulfils a requirement that nothing else does, and nothing more.
func TestMergeTakesTheSessionsDevice(t *testing.T) {
	needs := []config.Requirement{{OneOf: []string{"simulatorId", "simulatorName"}}}
	spec := config.Spec{Keys: []string{"simulatorId", "simulatorName"}, Require: needs, Device: [2]string{"simulatorId", "UDID"}}
	for name, c := range map[string]struct {
		spec config.Spec
		args map[string]any
		want config.Source
		key  string
	}{
		"none named":  {spec, nil, config.FromDevice, "simulatorId"},
		"one named":   {spec, map[string]any{"simulatorName": "iPhone 16"}, config.FromCall, "simulatorName"},
		"none needed": {config.Spec{Keys: spec.Keys, Device: spec.Device}, nil, "", ""},
	} {
		merged, err := config.New(config.Options{}).Merge(c.spec, c.args)
		if err != nil || merged.Values[c.key].Source != c.want || c.key == "" && len(merged.Values) > 0 || len(merged.Values) > 1 {
			t.Errorf("%s: %+v, %v", name, merged.Values, err)
		}
	}
	other := spec
	other.Device[0] = "deviceId"
	if _, err := config.New(config.Options{}).Merge(other, nil); err == nil {
		t.Error("a physical device was taken for a simulator")
	}
}
