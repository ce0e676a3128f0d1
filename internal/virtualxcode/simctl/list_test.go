package simctl_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ios-agent/internal/virtualxcode/simctl"
)

func TestListAsText(t *testing.T) {
	s := newTool(t)
	want := `== Device Types ==
iPhone 16 Pro (com.apple.CoreSimulator.SimDeviceType.iPhone-16-Pro)
== Runtimes ==
iOS 18.5 (18.5 - 22F77) - com.apple.CoreSimulator.SimRuntime.iOS-18-5
== Devices ==
-- iOS 18.5 --
    iPhone 16 Pro (` + s.udid() + `) (Shutdown) 
== Device Pairs ==
`
	if out := s.ok("list"); out != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
}

func TestListDevicesAsJSON(t *testing.T) {
	s := newTool(t)
	u := s.udid()
	before := `{
  "devices" : {
    "com.apple.CoreSimulator.SimRuntime.iOS-18-5" : [
      {
        "dataPath" : "\/Users\/dev\/CoreSimulator\/Devices\/` + u + `\/data",
        "dataPathSize" : 18337792,
        "logPath" : "\/Users\/dev\/CoreSimulator\/Logs\/` + u + `",
        "udid" : "` + u + `",
        "isAvailable" : true,
        "deviceTypeIdentifier" : "com.apple.CoreSimulator.SimDeviceType.iPhone-16-Pro",
        "state" : "Shutdown",
        "name" : "iPhone 16 Pro"
      }
    ]
  }
}
`
	none := `{
  "devices" : {
    "com.apple.CoreSimulator.SimRuntime.iOS-18-5" : [

    ]
  }
}
`
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"all":            {[]string{"list", "-j", "devices"}, before},
		"available":      {[]string{"list", "--json", "devices", "available"}, before},
		"by name":        {[]string{"list", "devices", "iphone 16", "-j"}, before},
		"none booted":    {[]string{"list", "devices", "booted", "iOS", "--json"}, none},
		"no such device": {[]string{"list", "-j", "devices", "iPad"}, none},
		"no pairs":       {[]string{"list", "-j", "pairs"}, "{\n  \"pairs\" : {\n\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if out := s.ok(c.args...); out != c.want {
				t.Errorf("printed\n%s\nwant\n%s", out, c.want)
			}
		})
	}
}

func TestAnUnknownOptionOfListIsRefused(t *testing.T) {
	if _, _, exit := newTool(t).run("list", "--yaml"); exit != 22 {
		t.Errorf("exit %d", exit)
	}
}

// samples is the folder with recordings of the real tools, which do not come with the project.
func samples(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("IOS_AGENT_SAMPLES"); dir != "" {
		return dir
	}
	top, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for ; top != filepath.Dir(top); top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			break
		}
	}
	dir := filepath.Join(filepath.Dir(top), "shared", "fixtures")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no samples of the real tools: set IOS_AGENT_SAMPLES or put them at %s", dir)
	}
	return dir
}

// shapes are the keys of a list of JSON objects with the types of their values, and how many objects have each.
func shapes(entries []any) map[string]int {
	out := map[string]int{}
	for _, e := range entries {
		object, _ := e.(map[string]any)
		for key, value := range object {
			out[fmt.Sprintf("%s %T", key, value)]++
		}
	}
	return out
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// entries are the objects of a section; devices are one level deeper.
func entries(section any) (out []any) {
	switch s := section.(type) {
	case []any:
		return s
	case map[string]any:
		for _, inner := range s {
			out = append(out, entries(inner)...)
		}
	}
	return out
}

// TestListHasTheShapeOfTheRealOne: every key printed occurs in a recording with the same type, and every key that all
// recorded objects have is printed.
func TestListHasTheShapeOfTheRealOne(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	ours := decode(t, []byte(s.ok("list", "-j")))
	for section, sample := range map[string]string{
		"devices":     "simctl/findsimulator-xcode16.json",
		"runtimes":    "simctl/list-runtimes-xcode15.json",
		"devicetypes": "simctl/marathon-list-2.json",
	} {
		t.Run(section, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(samples(t), sample))
			if err != nil {
				t.Fatal(err)
			}
			real := entries(decode(t, data)[section])
			have, want := shapes(entries(ours[section])), shapes(real)
			if len(have) == 0 || len(real) == 0 {
				t.Fatal("there is nothing to compare")
			}
			for key := range have {
				if want[key] == 0 {
					t.Errorf("%s is not in the recording", key)
				}
			}
			for key, n := range want {
				if n == len(real) && have[key] == 0 {
					t.Errorf("%s is missing; there are %v", key, slices.Sorted(maps.Keys(have)))
				}
			}
		})
	}
}

func TestMarksNameSamplesThatExist(t *testing.T) {
	for _, m := range simctl.Marks() {
		if m.Tool == "" || m.Behaviour == "" || m.Source == "" {
			t.Errorf("an incomplete mark: %+v", m)
		}
		sample, observed := m.Sample()
		if !observed {
			continue
		}
		if _, err := os.Stat(filepath.Join(samples(t), sample)); err != nil {
			t.Error(err)
		}
	}
}
