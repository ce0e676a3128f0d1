package simctl_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apple "ios-agent/internal/apple/simctl"
	"ios-agent/internal/virtualxcode/simctl"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata; the world's folder is left out of it.
func (s *rig) golden(name, text string) {
	s.t.Helper()
	for from, to := range map[string]string{s.root: "/Users/dev/CoreSimulator"} {
		text = strings.ReplaceAll(text, from, to)
		escape := func(path string) string { return strings.ReplaceAll(path, "/", `\/`) }
		text = strings.ReplaceAll(text, escape(from), escape(to))
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != text {
		s.t.Errorf("%s is stale (go test -update): %v\n%s", file, err, text)
	}
}

func TestListMatchesGoldenFiles(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	s.golden("list.txt", s.ok("list"))
	s.golden("list.json", s.ok("list", "-j"))
}

func TestListFiltersBySearchTerm(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	for name, c := range map[string]struct {
		args string
		want int // UDIDs printed
	}{
		"all":            {"list devices", 13},
		"available":      {"list devices available", 12},
		"by name":        {"list devices iphone 16 pro", 4},
		"booted":         {"list -j devices booted iOS", 1},
		"no such device": {"list -j devices Nokia", 0},
		"runtime":        {"list devices iOS-26-0", 1},
		"a section more": {"list devices watchOS", 1},
		"pairs":          {"list pairs", 3},
		"pairs as JSON":  {"list -j pairs", 3},
		"no pair":        {"list pairs iPad", 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := s.ok(strings.Fields(c.args)...)
			udid := regexp.MustCompile(`[( "][0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}[) "]|(?m)^[0-9A-F]{8}(-[0-9A-F]{4}){3}`)
			found := udid.FindAllString(out, -1)
			if len(found) != c.want {
				t.Errorf("%d devices, want %d\n%s", len(found), c.want, out)
			}
		})
	}
	if out := s.ok("list", "runtimes", "available"); strings.Contains(out, "15.5") ||
		!strings.Contains(out, "visionOS 2.5 (2.5 - 22O473) - com.apple.CoreSimulator.SimRuntime.xrOS-2-5") {
		t.Errorf("runtimes are\n%s", out)
	}
}

// TestProductionParserReadsWholeList: nothing of what is printed is left over.
func TestProductionParserReadsWholeList(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	l, err := apple.ParseList([]byte(s.ok("list", "-j")))
	if err != nil || len(l.Raw) > 0 || len(l.Unparsed) > 0 {
		t.Fatalf("left over: %v %v, %v", l.Raw, l.Unparsed, err)
	}
	if len(l.Devices) != 13 || len(l.Runtimes) != 8 || len(l.DeviceTypes) != 11 || len(l.Pairs) != 1 {
		t.Errorf("%d devices, %d runtimes, %d types, %d pairs", len(l.Devices), len(l.Runtimes), len(l.DeviceTypes), len(l.Pairs))
	}
	for i, d := range s.world.Devices() {
		at := slices.IndexFunc(l.Devices, func(one apple.Device) bool { return one.UDID == d.UDID })
		if at < 0 {
			t.Errorf("device %d is not in the list", i)
			continue
		}
		got := l.Devices[at]
		if got.Name != d.Name || got.State != string(d.State) || got.Available != (d.Runtime.Unavailable == "") ||
			got.Runtime != d.Runtime.ID {
			t.Errorf("device %d was read as %+v", i, got)
		}
	}
	text, err := apple.ParseListText([]byte(s.ok("list")))
	if err != nil || len(text.Devices) != 13 || len(text.Pairs) != 1 || len(text.Unparsed) > 0 {
		t.Errorf("the text was read as %d devices, %d pairs, left over: %q, %v", len(text.Devices), len(text.Pairs), text.Unparsed, err)
	}
}

func TestListRefusesUnknownOption(t *testing.T) {
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

// TestListHasShapeOfRealSimctl: every key printed occurs in a recording with the same type, and every key that all
// recorded objects have is printed.
func TestListHasShapeOfRealSimctl(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	ours := decode(t, []byte(s.ok("list", "-j")))
	for section, sample := range map[string]string{
		"devices":     "simctl/findsimulator-xcode16.json",
		"runtimes":    "simctl/list-runtimes-xcode15.json",
		"devicetypes": "simctl/marathon-list-2.json",
		"pairs":       "simctl/marathon-list-1.json",
	} {
		t.Run(section, func(t *testing.T) {
			real := recorded(t, sample, section)
			var known []any
			files, err := filepath.Glob(filepath.Join(samples(t), "simctl", "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				known = append(known, recorded(t, filepath.Join("simctl", filepath.Base(file)), section)...)
			}
			have, all, want := shapes(parts(ours[section])), shapes(known), shapes(real)
			if len(have) == 0 || len(real) == 0 {
				t.Fatal("there is nothing to compare")
			}
			for key := range have {
				if all[key] == 0 {
					t.Errorf("%s is in no recording", key)
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

// recorded are the objects of a section of a recording.
func recorded(t *testing.T, sample, section string) []any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples(t), sample))
	if err != nil {
		t.Fatal(err)
	}
	return parts(decode(t, data)[section])
}

// parts are the entries of a section; those of pairs are one level higher than those of devices.
func parts(section any) (out []any) {
	byID, _ := section.(map[string]any)
	for _, one := range byID {
		if pair, ok := one.(map[string]any); ok && pair["watch"] != nil {
			out = append(out, one)
		}
	}
	return append(out, entries(section)...)
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

func TestListShowsThousandDevices(t *testing.T) {
	s := newTool(t)
	for i := range 1000 {
		if _, err := s.world.Create(t.Context(), fmt.Sprint("Phone ", i), "iPhone 16", "iOS 18.5"); err != nil {
			t.Fatal(err)
		}
	}
	l, err := apple.ParseList([]byte(s.ok("list", "-j")))
	if err != nil || len(l.Devices) != 1013 {
		t.Errorf("%d devices, %v", len(l.Devices), err)
	}
}
