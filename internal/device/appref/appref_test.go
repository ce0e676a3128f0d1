package appref_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/test/fakedevice"
)

// on is a device with these apps.
func on(t *testing.T, d device.Device) *pool.Handle {
	t.Helper()
	h, err := fakedevice.Reach(t, d).Pool.Resolve(t.Context(), pool.Criteria{UDID: "A"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func phone(apps ...device.App) *fakedevice.Phone {
	p := fakedevice.New(fakedevice.Simulator("A", "Ann", device.Booted))
	p.Installed = apps
	return p
}

func bare() device.Device {
	return fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted)}
}

var shop = device.App{Bundle: "com.example.shop", Name: "Shop", PID: 7}

func TestCheckAppRefusesInvalidNames(t *testing.T) {
	for _, app := range []string{"Shop", "com.example.shop", " Shop ", "x", "Ä b-c"} {
		if err := appref.CheckApp(app); err != nil {
			t.Errorf("%q: got %v, want success", app, err)
		}
	}
	for _, app := range []string{"", "  ", "-x", " -x", "a/b", "a\nb", "a\x00b"} {
		f := fakedevice.WantFault(t, app, fault.From(appref.CheckApp(app)), fault.InvalidInput, "is not the bundle id or the name of an app")
		if f.Details["field"] != "bundle_id" {
			t.Errorf("%q: got the field %v, want bundle_id", app, f.Details["field"])
		}
	}
	long := fault.From(appref.CheckApp("-" + strings.Repeat("x", 200))).Message
	if strings.Contains(long, strings.Repeat("x", 80)) || !strings.Contains(long, strings.Repeat("x", 79)) {
		t.Errorf("got %q, want 80 characters of the text", long)
	}
}

func TestIsBundleRequiresDot(t *testing.T) {
	for what, want := range map[string]bool{"com.example.shop": true, "a.b": true, "Shop": false, "-a.b": false, "a b.c": false, "": false} {
		if got := appref.IsBundle(what); got != want {
			t.Errorf("%q: got %v, want %v", what, got, want)
		}
	}
}

func TestBundleOfFindsAnAppByIDOrName(t *testing.T) {
	apps := []device.App{
		shop, {Bundle: "com.example.mail", Name: "Mail"}, {Bundle: "com.other.mail", Name: "mail"}, {Bundle: "plain", Name: "P"},
	}
	h := on(t, phone(apps...))
	for what, want := range map[string]string{
		"com.example.shop": "com.example.shop", "com.not.installed": "com.not.installed", "Shop": "com.example.shop",
		"SHOP": "com.example.shop", "plain": "plain", "p": "plain",
	} {
		if got, err := appref.BundleOf(t.Context(), h, what); err != nil || got != want {
			t.Errorf("%q: got %q and %v, want %q", what, got, err, want)
		}
	}
	_, err := appref.BundleOf(t.Context(), h, "Mail")
	f := fakedevice.WantFault(t, "two of one name", fault.From(err), fault.AppAmbiguous,
		`several apps on Ann are called "Mail": com.example.mail, com.other.mail`)
	if got, _ := f.Details["candidates"].([]string); !slices.Equal(got, []string{"com.example.mail", "com.other.mail"}) {
		t.Errorf("candidates: got %v, want both", f.Details["candidates"])
	}
	got, err := appref.BundleOf(t.Context(), h, "Shap")
	fakedevice.WantFault(t, "no such app", fault.From(err), fault.AppNotFound,
		`no app on Ann has the bundle id or name "Shap"`, "did you mean Shop")
	if got != "" {
		t.Errorf("no such app: got %q, want nothing", got)
	}
	_, err = appref.BundleOf(t.Context(), h, "Zzzzzzzzzz")
	if f := fault.From(err); strings.Contains(f.Hint, "did you mean") {
		t.Errorf("nothing near: got the hint %q, want the usual one", f.Hint)
	}
}

func TestBundleOfReturnsDeviceFault(t *testing.T) {
	broken := phone(shop)
	broken.Fails["List"] = errors.New("unplugged")
	if got, err := appref.BundleOf(t.Context(), on(t, broken), "Shop"); err == nil || err.Error() != "unplugged" || got != "" {
		t.Errorf("got %q and %v, want the device's error", got, err)
	}
	if got, err := appref.BundleOf(t.Context(), on(t, bare()), "shop"); err != nil || got != "shop" {
		t.Errorf("a device without a list: got %q and %v, want the text", got, err)
	}
	_, err := appref.BundleOf(t.Context(), on(t, bare()), "my shop")
	fakedevice.WantFault(t, "a device without a list, no id", fault.From(err), fault.InvalidInput, "my shop")
	forged := on(t, phone(device.App{Bundle: "a\nb", Name: "Forged"}))
	_, err = appref.BundleOf(t.Context(), forged, "Forged")
	fakedevice.WantFault(t, "an app with a line break in its id", fault.From(err), fault.InvalidInput)
	_, err = appref.BundleOf(t.Context(), forged, "a\nb")
	fakedevice.WantFault(t, "that id", fault.From(err), fault.InvalidInput)
}

func TestInstalledReportsKnownAndMissingApps(t *testing.T) {
	h := on(t, phone(shop))
	if app, known, err := appref.Installed(t.Context(), h, shop.Bundle); err != nil || !known || app != shop {
		t.Errorf("got %+v, %v and %v, want the app", app, known, err)
	}
	app, known, err := appref.Installed(t.Context(), h, "com.example.shup")
	fakedevice.WantFault(t, "not there", fault.From(err), fault.AppNotFound, "com.example.shup is not installed on Ann",
		"did you mean com.example.shop?")
	if !known || app != (device.App{}) {
		t.Errorf("not there: got %+v and %v, want nothing, known", app, known)
	}
	if app, known, err := appref.Installed(t.Context(), on(t, bare()), shop.Bundle); err != nil || known || app != (device.App{}) {
		t.Errorf("a device without a list: got %+v, %v and %v, want nothing known", app, known, err)
	}
	broken := phone()
	broken.Fails["List"] = errors.New("unplugged")
	if _, known, err := appref.Installed(t.Context(), on(t, broken), shop.Bundle); err == nil || known {
		t.Errorf("a broken list: got %v and %v, want the error", known, err)
	}
}

func TestNearbyExplainsOnlyAMissingApp(t *testing.T) {
	missing, other := fault.New(fault.AppNotFound, "the tool says no"), errors.New("other")
	h := on(t, phone(shop))
	if got := appref.Nearby(t.Context(), h, "com.example.shup", other); !errors.Is(got, other) {
		t.Errorf("another error: got %v, want it", got)
	}
	if got := appref.Nearby(t.Context(), h, "com.example.shup", nil); got != nil {
		t.Errorf("no error: got %v, want none", got)
	}
	fakedevice.WantFault(t, "missing", fault.From(appref.Nearby(t.Context(), h, "com.example.shup", missing)), fault.AppNotFound,
		"com.example.shup is not installed on Ann", "did you mean com.example.shop?")
	if got := appref.Nearby(t.Context(), h, shop.Bundle, missing); got.Error() != "the tool says no" {
		t.Errorf("an app that is there: got %v, want the tool's own words", got)
	}
	if got := appref.Nearby(t.Context(), on(t, bare()), shop.Bundle, missing); got.Error() != "the tool says no" {
		t.Errorf("a device without a list: got %v, want the tool's own words", got)
	}
}

func TestEnvironmentPrefersCallOverClient(t *testing.T) {
	client := map[string]string{"SIMCTL_CHILD_A": "1", "SIMCTL_CHILD_B": "2", "HOME": "/x", "XSIMCTL_CHILD_C": "3"}
	got, err := appref.Environment(client, []string{"B=call", "C=x=y"})
	if want := map[string]string{"A": "1", "B": "call", "C": "x=y"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
	_, err = appref.Environment(nil, []string{"novalue"})
	f := fakedevice.WantFault(t, "no value", fault.From(err), fault.InvalidInput, "novalue")
	if f.Details["field"] != "env" {
		t.Errorf("got the field %v, want env", f.Details["field"])
	}
	if got, err := appref.Environment(nil, nil); err != nil || got == nil || len(got) > 0 {
		t.Errorf("nothing: got %v and %v, want an empty environment", got, err)
	}
}

func TestHarmlessRefusesVariablesThatRunOtherCode(t *testing.T) {
	for _, name := range []string{
		"DYLD_INSERT_LIBRARIES", "LD_PRELOAD", "__XPC_DYLD_X", "XCInjectBundle", "ASAN_OPTIONS", "TSAN_SYMBOLIZER_PATH", "SWIFT_BACKTRACE",
		"LLVM_PROFILE_FILE", "GCOV_PREFIX_STRIP", "MallocLogFile",
	} {
		env, err := appref.Harmless(map[string]string{"A": "1", name: "x"}, nil)
		f := fakedevice.WantFault(t, name, fault.From(err), fault.Forbidden, name+" makes an app run other code",
			hint.Do("run", "env", []string{name + "=…"}))
		if env != nil || f.Details["field"] != "env" {
			t.Errorf("%s: got %v and the field %v, want nothing and env", name, env, f.Details["field"])
		}
	}
	fine := map[string]string{
		"A": "1", "MY_DYLD_X": "", "OLD_X": "", "SWIFT_BACKTRACE_X": "", "ASAN_OPTIONS_X": "", "LLVM_PROFILE_FILES": "",
		"MallocLogFiles": "", "asan_options": "",
	}
	if got, err := appref.Harmless(fine, nil); err != nil || !maps.Equal(got, fine) {
		t.Errorf("got %v and %v, want all of it", got, err)
	}
	wrong := errors.New("wrong")
	if _, err := appref.Harmless(map[string]string{"LD_PRELOAD": "x"}, wrong); !errors.Is(err, wrong) {
		t.Errorf("after an error: got %v, want that", err)
	}
	_, err := appref.Harmless(map[string]string{"LD_Z": "", "DYLD_A": ""}, nil)
	fakedevice.WantFault(t, "two of them", fault.From(err), fault.Forbidden, "DYLD_A makes")
}
