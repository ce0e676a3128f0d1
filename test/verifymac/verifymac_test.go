package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/machine/host"
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

// TestChangedDoesNotFitUnchanged: a tap that did nothing does not hold.
func TestChangedDoesNotFitUnchanged(t *testing.T) {
	s := step{says: []string{changed}}
	for answer, want := range map[string]outcome{
		`{"result":{"outcome":"changed"}}`: holds, `{"result":{"outcome":"unchanged"}}`: fails, `{"result":{"outcome":"unknown"}}`: fails,
	} {
		if got, why, _ := s.judge(result{Answer: []byte(answer)}); got != want {
			t.Errorf("%s: the step %s (%s), want %s", answer, got, why, want)
		}
	}
}

// TestAbsentPackageIsNotTried: what is missing on the Mac is no failure of ios-agent, and any other failure is one.
func TestAbsentPackageIsNotTried(t *testing.T) {
	sdk := (&trial{}).onExample().steps[0]
	for text, want := range map[string]outcome{
		"xcodebuild: error: Could not resolve package dependencies:\n  Failed to clone repository": notTried,
		"CartView.swift:3:8: error: cannot find 'Cart' in scope":                                   fails,
	} {
		got, why, enable := sdk.judge(result{Code: 1, Stderr: text})
		if got != want || (enable == "") != (want == fails) || why == "" {
			t.Errorf("%s: the step %s (%s; %s), want %s", text, got, why, enable, want)
		}
	}
}

// TestChosenPartsBringTheirNeeds: a part comes with the steps that its steps need, in their order, and with no others.
func TestChosenPartsBringTheirNeeds(t *testing.T) {
	all := []part{
		{key: "a", steps: []step{{name: "a1"}, {name: "a2", needs: "a1"}, {name: "a3"}}},
		{key: "b", steps: []step{{name: "b1", needs: "a2"}, {name: "b2"}}},
		{key: "c", steps: []step{{name: "c1", needs: "b1"}, {name: "c2"}}},
	}
	parts, err := chosen(all, "c")
	var names []string
	for _, p := range parts {
		for _, s := range p.steps {
			names = append(names, s.name)
		}
	}
	if want := []string{"a1", "a2", "b1", "c1", "c2"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("chosen: %q, %v, want %q", names, err, want)
	}
	if _, err := chosen(all, "c,d"); err == nil || !strings.Contains(err.Error(), "the parts are a, b, c") {
		t.Errorf("an unknown part: %v, want the names of all", err)
	}
}

// TestDesktopIsNotTriedWithoutPermission: xcrun, here a script, says what macOS says. A Mac that says nothing is no obstacle.
func TestDesktopIsNotTriedWithoutPermission(t *testing.T) {
	for said, want := range map[string][]string{
		"echo accessibility false; echo screen-recording false": {keyDesktop, stepAppPicture},
		"echo accessibility true; echo screen-recording false":  {stepAppPicture},
		"echo accessibility true; echo screen-recording true":   nil,
		"exit 1": nil,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "xcrun"), []byte("#!/bin/sh\n"+said+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		h, err := host.New(host.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr := &trial{options: options{work: dir, out: dir}, out: t.Output(), aside: h, tools: apple.Toolchain{Name: apple.Xcode, Bin: dir},
			lacks: map[string]lack{}, known: map[string]string{}}
		tr.check(t.Context(), tr.onDesktop())
		var got []string
		for _, name := range []string{keyDesktop, stepAppPicture} {
			if l, is := tr.lacks[name]; is {
				got = append(got, name)
				if !strings.Contains(l.enable, "Privacy_") {
					t.Errorf("%s: %q does not name the pane", name, l.enable)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q are not tried, want %q", said, got, want)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPackedFileIsBoundedListedAndMasked: the file stays below its limit, says what it left out, and has no secret of the environment.
func TestPackedFileIsBoundedListedAndMasked(t *testing.T) {
	const secret = "s3cr3t-of-the-test"
	folder, noise := filepath.Join(t.TempDir(), "verify-mac"), make([]byte, 1<<20)
	_, _ = rand.Read(noise)
	for name, content := range map[string][]byte{
		"page.txt": []byte("the page"), "logs/daemon.log": []byte("a line with " + secret + "\nAuthorization: Bearer abcdef123456\n"),
		"steps/001-a.json": []byte(`{"answer":"` + secret + `"}`), "checks/noise.bin": noise, "checks/small.txt": []byte("small"),
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to, out := filepath.Join(t.TempDir(), "file.tar.gz"), t.TempDir()
	const most = roomForList + 100<<10
	if err := (packed{most: most, secrets: secretsOf([]string{"DEPLOY_TOKEN=" + secret, "PIN=on"})}).write(folder, to); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Size() > most {
		t.Errorf("the file: %v, %v, want at most %d bytes", info, err, most)
	}
	if err := unpack(to, out); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(out, "verify-mac", name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	for name, wants := range map[string][]string{
		"contents.txt": {"  page.txt\n", "left out    1048576  checks/noise.bin (the file would be larger", "  checks/small.txt\n"},
		"page.txt":     {"the page"}, "checks/small.txt": {"small"}, "logs/daemon.log": {"a line with $SECRET:deploy_token\n"},
		"steps/001-a.json": {`"answer":"$SECRET:deploy_token"`},
	} {
		for _, want := range wants {
			if got := read(name); !strings.Contains(got, want) || strings.Contains(got, secret) || strings.Contains(got, "abcdef123456") {
				t.Errorf("%s is %q, want %q and no secret", name, got, want)
			}
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

// TestPartEndsAtItsLimit: a part that takes too long leaves time for the others, and its other steps are on the page with the reason.
func TestPartEndsAtItsLimit(t *testing.T) {
	tr := &trial{out: t.Output(), kept: t.TempDir(), lacks: map[string]lack{}, known: map[string]string{}}
	if err := os.Mkdir(tr.path(stepFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	tr.tryPart(t.Context(), part{name: "Slow", limit: time.Nanosecond, steps: []step{{name: "one"}, {name: "two", needs: "one"}}})
	for _, r := range tr.results {
		if r.Outcome != notTried || r.Why != "the part took longer than 1ns" {
			t.Errorf("step %s: %s (%s), want that it was not tried", r.Name, r.Outcome, r.Why)
		}
	}
	if page := tr.page(false); len(tr.results) != 2 || !strings.Contains(page, "the part took longer than 1ns\n      Slow: one, two\n") {
		t.Errorf("the page has not both steps with their reason:\n%s", page)
	}
}
