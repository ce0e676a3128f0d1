package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/apple/simctl"
)

func TestNewestPhoneSkipsUnusableRuntimes(t *testing.T) {
	phones := func(names ...string) (all []simctl.DeviceType) {
		for _, n := range names {
			all = append(all, simctl.DeviceType{ID: n, Name: n})
		}
		return all
	}
	runtime := func(name, platform, version string, usable bool, types ...simctl.DeviceType) simctl.Runtime {
		return simctl.Runtime{ID: name, Name: name, Platform: platform, Version: version, Available: usable, SupportedTypes: types}
	}
	old, current := phones("iPhone 8", "iPhone SE (3rd generation)"), phones("iPad Air", "iPhone 17 Pro", "iPhone 17", "iPhone Air")
	for name, c := range map[string]struct {
		list            simctl.List
		sdk             string
		runtime, device string
	}{
		"the newest by number": {simctl.List{Runtimes: []simctl.Runtime{
			runtime("iOS 9.3", "iOS", "9.3", true, old...), runtime("iOS 26.0", "iOS", "26.0.1", true, current...),
			runtime("iOS 18.5", "iOS", "18.5", true, current...), runtime("watchOS 27", "watchOS", "27.0", true, current...),
		}}, "26.0", "iOS 26.0", "iPhone 17 Pro"},
		"not one of a newer Xcode": {simctl.List{Runtimes: []simctl.Runtime{
			runtime("iOS 26.0", "iOS", "26.0", true, current...), runtime("iOS 18.5", "iOS", "18.5", true, old...),
		}}, "18.5", "iOS 18.5", "iPhone 8"},
		"not one that cannot be used": {simctl.List{Runtimes: []simctl.Runtime{
			runtime("iOS 26.0", "iOS", "26.0", false, current...), runtime("iOS 18.5", "iOS", "18.5", true, old...),
		}}, "26.0", "iOS 18.5", "iPhone 8"},
		"types that the runtime does not tell": {simctl.List{
			Runtimes: []simctl.Runtime{runtime("iOS 15.0", "iOS", "15.0", true)}, DeviceTypes: current,
		}, "26.0", "iOS 15.0", "iPhone 17 Pro"},
		"none": {simctl.List{Runtimes: []simctl.Runtime{runtime("iOS 26.0", "iOS", "26.0", false, current...)}}, "26.0", "", ""},
	} {
		k, err := newestPhone(c.list, c.sdk)
		if k.runtime.ID != c.runtime || k.device.ID != c.device || (err == nil) != (c.runtime != "") {
			t.Errorf("%s: %s, %s, %v", name, k.runtime.ID, k.device.ID, err)
		}
	}
}

// TestUnpackRefusesForeignFiles files that are none of a run: they come from other machines.
func TestUnpackRefusesForeignFiles(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"elsewhere": {Name: "verify-mac/../../x"}, "absolute": {Name: "/verify-mac/x"}, "another folder": {Name: "x/y"},
		"a link": {Name: "verify-mac/x", Typeflag: tar.TypeSymlink, Linkname: "/"}, "huge": {Name: "verify-mac/x", Size: mostUnpacked + 1},
	} {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		w := tar.NewWriter(zip)
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		zip.Close()
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := unpack(file, t.TempDir()); err == nil {
			t.Errorf("%s is unpacked", name)
		}
	}
}
