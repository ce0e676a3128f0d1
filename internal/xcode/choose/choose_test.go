package choose_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
	"ios-agent/test/fakedevice"
)

// refused checks a fault's code and what it says.
func refused(t *testing.T, err error, code fault.Code, says string) {
	t.Helper()
	if f := fault.From(err); err == nil || f.Code != code || !strings.Contains(f.Message, says) {
		t.Errorf("got the error %v, want %s with %q", err, code, says)
	}
}

func TestProjectIsLookedForFromTheWorkingFolder(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".git", "App/App.xcodeproj", "App/Sources/Cart", "Both/B.xcodeproj", "Both/B.xcworkspace", "Empty"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]struct{ project, workspace, said string }{
		"App":              {"App/App.xcodeproj", "", "project: App.xcodeproj"},
		"App/Sources/Cart": {"App/App.xcodeproj", "", "project: ../../App.xcodeproj"},
		"Both":             {"", "Both/B.xcworkspace", "project: B.xcworkspace"},
	} {
		var said choose.Choices
		project, workspace, err := said.Project(filepath.Join(top, from))
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		got := strings.TrimPrefix(project+"|"+workspace, top+"/")
		if got = strings.ReplaceAll(got, top+"/", ""); got != want.project+"|"+want.workspace {
			t.Errorf("%s: got %q, want the project %q or the workspace %q", from, got, want.project, want.workspace)
		}
		if !slices.Equal(said, choose.Choices{want.said}) {
			t.Errorf("%s: got the choices %q, want %q", from, said, want.said)
		}
	}
	var said choose.Choices
	_, _, err := said.Project(filepath.Join(top, "Empty"))
	refused(t, err, fault.ProjectNotFound, "cannot find an Xcode project or workspace")
	_, _, err = said.Project("")
	refused(t, err, fault.ProjectNotFound, "the client's folder is unknown")
	if len(said) != 0 {
		t.Errorf("got the choices %q, want none where nothing was found", said)
	}
}

func TestSchemeIsOnlyOneOrNamedLikeProject(t *testing.T) {
	many := strings.Fields("A B C Shop D E F")
	for name, want := range map[string]struct {
		schemes      []string
		scheme, said string
	}{
		"one":            {[]string{"Any"}, "Any", "scheme: Any, the only one"},
		"two":            {[]string{"A", "Shop"}, "Shop", "scheme: Shop, of 2 schemes: A, Shop"},
		"five are named": {many[:5], "Shop", "scheme: Shop, of 5 schemes: A, B, C, Shop, D"},
		"six are cut":    {many[:6], "Shop", "scheme: Shop, of 6 schemes: A, B, C, Shop, D, …"},
	} {
		var said choose.Choices
		got, err := said.Scheme("/a/Shop.xcodeproj", want.schemes)
		if err != nil || got != want.scheme || !slices.Equal(said, choose.Choices{want.said}) {
			t.Errorf("%s: got %q, %q, %v, want %q, %q", name, got, said, err, want.scheme, want.said)
		}
	}
}

func TestMissingOrAmbiguousSchemeIsRefused(t *testing.T) {
	var said choose.Choices
	_, err := said.Scheme("/a/Shop.xcworkspace", nil)
	refused(t, err, fault.SchemeNotFound, "Shop.xcworkspace has no schemes")
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprintf("S%02d", i))
	}
	_, err = said.Scheme("/a/Shop.xcodeproj", many)
	refused(t, err, fault.SchemeAmbiguous, "Shop.xcodeproj has several schemes: "+strings.Join(many[:20], ", "))
	f := fault.From(err)
	if strings.Contains(f.Message, "S20") {
		t.Errorf("got the message %q, want 20 schemes named", f.Message)
	}
	if all, _ := f.Details["candidates"].([]string); len(all) != 21 {
		t.Errorf("got the candidates %q, want all 21", all)
	}
}

// shelf are devices of the pool, one a line: udid, state, system, family, and further words for what is special.
func shelf(lines ...string) (all []pool.Entry) {
	for _, line := range lines {
		w := strings.Fields(line)
		e := pool.Entry{Info: fakedevice.Simulator(w[0], "Phone "+w[0], w[1]), ClaimStatus: pool.Available}
		e.OS, e.Family = strings.ReplaceAll(w[2], "_", " "), w[3]
		for _, more := range w[4:] {
			switch name, value, _ := strings.Cut(more, "="); name {
			case "claimed":
				e.ClaimStatus, e.ClaimedBy = pool.ClaimedWord, value
			case "codriver":
				e.CoDrivers = []string{value}
			case "broken":
				e.Available = false
			case "physical":
				e.Type = "device"
			}
		}
		all = append(all, e)
	}
	return all
}

func TestSimulatorChoicePrefersSessionThenBooted(t *testing.T) {
	for name, c := range map[string]struct {
		entries   []pool.Entry
		current   string
		want, why string
	}{
		"the session's, though another is booted": {
			shelf("a booted iOS_18.2 iPhone", "b shutdown iOS_17.0 iPhone"), "b", "b", "(iOS 17.0), the session's device",
		},
		"the session's, though it is broken": {
			shelf("a booted iOS_18.2 iPhone", "b shutdown iOS_17.0 iPhone broken"), "b", "b", "(iOS 17.0), the session's device",
		},
		"a booted iPhone before a booted iPad": {
			shelf("a booted iOS_18.2 iPad", "b booted iOS_17.0 iPhone"), "", "b", "(iOS 17.0), which is booted",
		},
		"a booted iPad before an iPhone that is off": {
			shelf("a shutdown iOS_18.2 iPhone", "b booted iOS_17.0 iPad"), "", "b", "(iOS 17.0), which is booted",
		},
		"the newest iPhone, the first of equals": {
			shelf("a shutdown iOS_18.2 iPhone", "b shutdown iOS_26.0 iPhone", "c shutdown iOS_26.0 iPhone", "d shutdown iOS_26.1 iPad"), "", "b",
			"(iOS 26.0), the first iPhone of the newest system",
		},
		"an iPad where there is no iPhone": {
			shelf("a shutdown iOS_18.2 iPad", "b shutdown iOS_18.4 iPad"), "", "b", "(iOS 18.4), the first of the newest system",
		},
		"none that another session has": {
			shelf("a booted iOS_18.2 iPhone claimed=other", "b shutdown iOS_18.2 iPhone"), "", "b", "the first iPhone of the newest system",
		},
		"one that this session has": {
			shelf("a booted iOS_18.2 iPhone claimed=me", "b shutdown iOS_18.2 iPhone"), "", "a", "which is booted",
		},
		"one that this session may drive too": {
			shelf("a booted iOS_18.2 iPhone claimed=other codriver=me", "b shutdown iOS_18.2 iPhone"), "", "a", "which is booted",
		},
		"no watch, no broken one and no physical device": {
			shelf("a booted watchOS_11.2 Watch", "b booted iOS_18.2 iPhone broken", "c booted iOS_18.2 iPhone physical",
				"d shutdown iOS_17.0 iPhone"), "", "d", "the first iPhone of the newest system",
		},
	} {
		said := choose.Choices{"project: p"}
		got, err := said.Simulator(c.entries, "me", c.current)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
		if last := said[len(said)-1]; !strings.HasPrefix(last, "simulator: Phone "+c.want+" (") || !strings.HasSuffix(last, c.why) {
			t.Errorf("%s: got the line %q, want the simulator and %q", name, last, c.why)
		}
		if said = said.Instead("destination: this Mac"); !slices.Equal(said, choose.Choices{"project: p", "destination: this Mac"}) {
			t.Errorf("%s: got %q, want the Mac in place of the simulator", name, said)
		}
	}
}

func TestSimulatorChoiceFailsWithoutFreeSimulator(t *testing.T) {
	for name, entries := range map[string][]pool.Entry{
		"none is there":                    nil,
		"another session has it":           shelf("a booted iOS_18.2 iPhone claimed=other"),
		"it is a phone":                    shelf("a booted iOS_18.2 iPhone physical"),
		"it is the session's, and a phone": shelf("me booted iOS_18.2 iPhone physical"),
	} {
		var said choose.Choices
		_, err := said.Simulator(entries, "s", "me")
		if refused(t, err, fault.NoDevice, "no iOS simulator is free"); len(said) != 0 {
			t.Errorf("%s: got the choices %q, want none", name, said)
		}
	}
}

const (
	udid     = "AAAA0000-1111-2222-3333-444444444444"
	absent   = "AAAA0000-1111-2222-3333-555555555555"
	hardware = "00008140-000A61C23E04801C"
)

// devices is a pool with a simulator, two of one name, a watch and a phone.
func devices(t *testing.T, broken error) *pool.Pool {
	t.Helper()
	watch := fakedevice.Simulator("W", "Watch", device.Booted)
	watch.OS = "watchOS 11.2"
	phone := fakedevice.Simulator(hardware, "My Phone", device.Booted)
	phone.Type, phone.Aliases = "device", []string{"core-1"}
	older := fakedevice.Simulator("T1", "Twin", "shutdown")
	older.OS = "iOS 17.0"
	driver := &fakedevice.Driver{Named: "xctest", Err: broken}
	for _, i := range []device.Info{
		fakedevice.Simulator(udid, "iPhone 16", "shutdown"), watch, phone, older, fakedevice.Simulator("T2", "Twin", "shutdown"),
	} {
		if broken == nil {
			driver.Devices = append(driver.Devices, fakedevice.Bare{Is: i, By: "xctest"})
		}
	}
	p := pool.New(pool.Options{Drivers: []device.Driver{driver}})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("closing the pool: %v", err)
		}
	})
	return p
}

func TestDestinationIsFoundByNameOrUDID(t *testing.T) {
	p := devices(t, nil)
	named := func(name string) pool.Simulator { return pool.Simulator{Name: name, Newest: true} }
	for name, c := range map[string]struct {
		choose.Destination
		want  builder.Destination
		words string
		known string // udid of the device
	}{
		"a simulator by name": {
			choose.Destination{Kind: choose.OnSimulator, Simulator: named("iphone 16")},
			builder.Destination{ID: udid, Platform: "iOS Simulator"}, "iPhone 16 (iOS 18.2)", udid,
		},
		"a simulator by its udid as a name": {
			choose.Destination{Kind: choose.OnSimulator, Simulator: named(udid)},
			builder.Destination{ID: udid, Platform: "iOS Simulator"}, "iPhone 16 (iOS 18.2)", udid,
		},
		"the newest of two": {
			choose.Destination{Kind: choose.OnSimulator, Simulator: named("Twin")},
			builder.Destination{ID: "T2", Platform: "iOS Simulator"}, "Twin (iOS 18.2)", "T2",
		},
		"the platform of its system": {
			choose.Destination{Kind: choose.OnSimulator, Simulator: named("Watch")},
			builder.Destination{ID: "W", Platform: "watchOS Simulator"}, "Watch (watchOS 11.2)", "W",
		},
		"the platform that is asked for": {
			choose.Destination{Kind: choose.OnSimulator, Simulator: pool.Simulator{ID: "W"}, Platform: "visionOS Simulator"},
			builder.Destination{ID: "W", Platform: "visionOS Simulator"}, "Watch (watchOS 11.2)", "W",
		},
		"a phone by another id": {
			choose.Destination{Kind: choose.OnDevice, Device: "core-1"},
			builder.Destination{ID: hardware, Platform: "iOS"}, "device " + hardware, hardware,
		},
		"any phone": {
			choose.Destination{Kind: choose.OnDevice}, builder.Destination{Platform: "iOS"}, "any iOS device", "",
		},
		"any device of a platform": {
			choose.Destination{Kind: choose.OnDevice, Platform: "tvOS"}, builder.Destination{Platform: "tvOS"}, "any tvOS device", "",
		},
		"this Mac": {choose.Destination{Kind: choose.OnMac}, builder.Destination{Platform: "macOS"}, "macOS", ""},
		"an architecture of a Mac": {
			choose.Destination{Kind: choose.OnMac, Arch: "x86_64"}, builder.Destination{Platform: "macOS", Arch: "x86_64"}, "macOS x86_64", "",
		},
	} {
		got, err := c.Find(t.Context(), p)
		if err != nil || got.Unknown != nil {
			t.Errorf("%s: got %v, %v, want a place", name, err, got.Unknown)
			continue
		}
		if got.Destination != c.want || got.Words != c.words || got.Kind != c.Kind {
			t.Errorf("%s: got %+v, %q, %s, want %+v, %q, %s", name, got.Destination, got.Words, got.Kind, c.want, c.words, c.Kind)
		}
		if known := got.Device != nil && got.Device.UDID == c.known; known != (c.known != "") {
			t.Errorf("%s: got the device %+v, want %q", name, got.Device, c.known)
		}
	}
}

func TestUnlistedDestinationIsPassedToXcodebuild(t *testing.T) {
	sims := choose.Destination{Kind: choose.OnSimulator, Simulator: pool.Simulator{Name: "iPhone 16", Newest: true}}
	broken := devices(t, errors.New("simctl does not answer"))
	got, err := sims.Find(t.Context(), broken)
	if want := (builder.Destination{Platform: "iOS Simulator", Name: "iPhone 16", Latest: true}); err != nil || got.Destination != want ||
		got.Words != "iPhone 16" || got.Unknown == nil || got.Device != nil || got.Kind != choose.OnSimulator {
		t.Errorf("got %+v, %v, want %+v for xcodebuild to find", got, err, want)
	}
	sims.Simulator, sims.Platform = pool.Simulator{ID: udid}, "tvOS Simulator"
	got, err = sims.Find(t.Context(), broken)
	if want := (builder.Destination{Platform: "tvOS Simulator", ID: udid}); err != nil || got.Destination != want || got.Words != udid {
		t.Errorf("got %+v, %v, want %+v for xcodebuild to find", got, err, want)
	}
	got, err = choose.Destination{Kind: choose.OnDevice, Device: "unlisted"}.Find(t.Context(), devices(t, nil))
	if want := (builder.Destination{Platform: "iOS", ID: "unlisted"}); err != nil || got.Destination != want || got.Unknown == nil ||
		got.Words != "device unlisted" || got.Device != nil {
		t.Errorf("got %+v, %v, want %+v for xcodebuild to find", got, err, want)
	}
}

func TestMissingOrAmbiguousSimulatorIsRefused(t *testing.T) {
	p := devices(t, nil)
	for which, code := range map[pool.Simulator]fault.Code{
		{Name: "iPhone 3", Newest: true}: fault.DeviceNotFound,
		{ID: absent}:                     fault.DeviceNotFound,
		{Name: "Twin"}:                   fault.DeviceAmbiguous,
	} {
		_, err := choose.Destination{Kind: choose.OnSimulator, Simulator: which}.Find(t.Context(), p)
		refused(t, err, code, "")
	}
}

func TestFindStopsWhenCallIsCancelled(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, d := range []choose.Destination{
		{Kind: choose.OnSimulator, Simulator: pool.Simulator{Name: "iPhone 16", Newest: true}}, {Kind: choose.OnDevice, Device: "unlisted"},
	} {
		if got, err := d.Find(over, devices(t, nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %+v, %v, want the call's own end", d.Kind, got, err)
		}
	}
}
