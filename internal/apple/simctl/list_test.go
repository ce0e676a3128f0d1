package simctl

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// brief is a device in one line, for comparison.
func brief(d Device) string {
	available := "available"
	if !d.Available {
		available = "not available: " + d.AvailabilityError
	}
	return strings.Join([]string{d.Name, strings.TrimPrefix(d.UDID, "00000000-0000-0000-0000-0000000000"), d.State,
		RuntimeName(d.Runtime), available}, " | ")
}

func briefs(l List) []string {
	var all []string
	for _, d := range l.Devices {
		all = append(all, brief(d))
	}
	return all
}

func TestParseListKeepsUnknownShapes(t *testing.T) {
	l, err := ParseList(append([]byte("a remark\n"), append(sample(t, "shapes.json"), "after\n"...)...))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"iPhone 16 | 01 | Booted | iOS 18.5 | available",
		"of another type |  | Creating | iOS 18.5 | not available: ",
		"old | 02 | Shutting Down | iOS 12.0 | not available: runtime profile not found",
		"plain | 03 | Shutdown | visionOS 1.0 | available",
		"twice | 04 | Booted | iOS 12.0 | not available: runtime profile not found",
	}
	if got := briefs(l); !slices.Equal(got, want) {
		t.Errorf("devices\n%s", strings.Join(got, "\n"))
	}
	if got := slices.Sorted(maps.Keys(l.Raw)); !slices.Equal(got, []string{
		"devices/com.apple.CoreSimulator.SimRuntime.iOS-18-5/2", "devices/odd", "devicetypes/1", "future",
	}) {
		t.Errorf("raw %q", got)
	}
	if !slices.Equal(l.Unparsed, []string{"a remark", "after"}) {
		t.Errorf("unparsed %q", l.Unparsed)
	}
	if string(l.Devices[1].Extra["udid"]) != "7" || string(l.Devices[0].Extra["dataPathSize"]) != "12" {
		t.Errorf("extra %q, %q", l.Devices[0].Extra, l.Devices[1].Extra)
	}
	if d := l.Devices[0]; d.DeviceType != l.DeviceTypes[0].ID || d.LastBootedAt != "2026-01-02T03:04:05Z" {
		t.Errorf("device %+v", d)
	}
	if d := l.Devices[3]; d.Runtime != "com.apple.CoreSimulator.SimRuntime.xrOS-1-0" || d.Section != "visionOS 1.0" {
		t.Errorf("device %+v", d)
	}
	if len(l.Runtimes) != 2 || !l.Runtimes[0].Available || l.Runtimes[1].Available || l.Runtimes[1].Platform != "iOS" {
		t.Errorf("runtimes %+v", l.Runtimes)
	}
	if len(l.Pairs) != 1 || l.Pairs[0].State != "active, disconnected" || !strings.HasSuffix(l.Pairs[0].Watch, "5") {
		t.Errorf("pairs %+v", l.Pairs)
	}
	if d := l.Devices[0]; d.Name != "iPhone 16" {
		t.Errorf("device %+v", d)
	}
	if r := l.Runtimes[0]; r.ID != l.Devices[0].Runtime || r.Build != "22F77" {
		t.Errorf("runtime %+v of %s", r, l.Devices[0].Runtime)
	}
}

func TestParseListRefusesOtherText(t *testing.T) {
	for _, in := range []string{"", "null", "[]", "no JSON", `{"devices"`, `{"devices":{}`, `{"devices":{"a":[}}`} {
		if l, err := ParseList([]byte(in)); err == nil {
			t.Errorf("%q: %+v", in, l)
		}
	}
	if _, err := ParseListText([]byte("no section\n")); err == nil {
		t.Error("text without a section was accepted")
	}
}

func TestParseListTextReadsAllSections(t *testing.T) {
	l, err := ParseListText(sample(t, "list.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"iPad Pro (12.9-inch) (2nd generation) | 01 | Shutdown | iOS 18.5 | available",
		"iPhone Xʀ (copy (1)) | 02 | Booted | iOS 18.5 | available",
		"iPhone (00000000-0000-0000-0000-00000000000F) | 03 | Shutting Down | iOS 18.5 | not available: a (very) odd reason",
		"Apple Vision Pro | 04 | Shutdown | visionOS 1.0 | available",
		"iPhone 4s | 05 | Booted | iOS 9.0 | not available: ",
	}
	if got := briefs(l); !slices.Equal(got, want) {
		t.Errorf("devices\n%s", strings.Join(got, "\n"))
	}
	var runtimes []string
	for _, r := range l.Runtimes {
		runtimes = append(runtimes, strings.Join([]string{r.Name, r.Platform, r.Version, r.Build, RuntimeName(r.ID), r.AvailabilityError}, "|"))
	}
	if !slices.Equal(runtimes, []string{
		"iOS 10.3|iOS|10.3.1|14E8301|iOS 10.3|",
		"iOS 18.5|iOS|18.5|22F77|iOS 18.5|",
		"visionOS 1.0|visionOS|1.0|21N301|visionOS 1.0|runtime path not found",
	}) {
		t.Errorf("runtimes %q", runtimes)
	}
	if len(l.DeviceTypes) != 2 || l.DeviceTypes[1].Name != "iPad Pro (12.9-inch) (2nd generation)" {
		t.Errorf("types %+v", l.DeviceTypes)
	}
	if len(l.Pairs) != 1 || !strings.HasSuffix(l.Pairs[0].Watch, "6") || !strings.HasSuffix(l.Pairs[0].Phone, "7") {
		t.Errorf("pairs %+v", l.Pairs)
	}
	if len(l.Unparsed) != 4 || l.Unparsed[1] != "something else" || l.Unparsed[3] != "good" {
		t.Errorf("unparsed %q", l.Unparsed)
	}
}

func TestRuntimeIDsConvertToNamesAndBack(t *testing.T) {
	for id, name := range map[string]string{
		"com.apple.CoreSimulator.SimRuntime.iOS-18-5":   "iOS 18.5",
		"com.apple.CoreSimulator.SimRuntime.watchOS-9":  "watchOS 9",
		"com.apple.CoreSimulator.SimRuntime.xrOS-1-0":   "visionOS 1.0",
		"com.apple.CoreSimulator.SimRuntime.tvOS-9-0-1": "tvOS 9.0.1",
	} {
		if got := RuntimeName(id); got != name {
			t.Errorf("%s: %q", id, got)
		}
		platform, version, ok := SplitRuntimeName(name)
		if got := RuntimeID(platform, version); !ok || got != id {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, odd := range []string{"", "iOS", "iOS 18.x", "com.apple.CoreSimulator.SimRuntime.iOS",
		"com.apple.CoreSimulator.SimRuntime.iOS-18-5-beta"} {
		if got := RuntimeName(odd); got != odd {
			t.Errorf("%q became %q", odd, got)
		}
		if _, _, ok := SplitRuntimeName(odd); ok {
			t.Errorf("%q is a name", odd)
		}
	}
}
