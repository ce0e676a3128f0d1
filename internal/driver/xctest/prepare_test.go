package xctest_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

const keyboard = "com.apple.keyboard.preferences"

// What is typed must arrive as it is, and nothing may lie over the keyboard: these are known to do either.
func TestPrepareTurnsOffTextCorrection(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	done, err := r.Phone.(device.Preparer).Prepare(t.Context())
	r.Must(err)
	var made []string
	for _, a := range done {
		made = append(made, a.Setting+"="+a.Value)
	}
	for _, want := range []string{
		"KeyboardAutocorrection=NO", "KeyboardAutocapitalization=NO", "SmartQuotesEnabled=NO", "SmartDashesEnabled=NO",
		"KeyboardInlineCompletion=NO", "HWKeyboardPeriodShortcut=NO", "DidShowContinuousPathIntroduction=YES",
		"DidShowGestureKeyboardIntroduction=YES", "KeyboardDidShowProductivityTutorial=YES",
	} {
		if !slices.Contains(made, keyboard+" "+want) {
			t.Errorf("no %s in %q", want, made)
		}
	}
	if !slices.Contains(made, "com.apple.keyboard.ContinuousPath KeyboardContinuousPathEnabled=NO") {
		t.Errorf("sliding is on: %q", made)
	}
}

// Restore sets exactly the values from before the first Prepare, however often Prepare ran.
func TestRestoreUndoesPrepare(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	tool := simctl.Tool{Run: r.Driver.Host, Xcrun: r.Driver.Tools.Tool("xcrun")}
	before := []simctl.Preference{
		{Domain: keyboard, Key: "KeyboardAutocorrection", Kind: "bool", Value: "YES"},
		{Domain: keyboard, Key: "KeyboardPrediction", Kind: "int", Value: "7"},
		{Domain: keyboard, Key: "SmartQuotesEnabled"}, // is not set
	}
	for _, p := range before {
		r.Must(tool.WritePreference(t.Context(), r.Info.UDID, p))
	}
	for range 2 {
		_, err := r.Phone.(device.Preparer).Prepare(t.Context())
		r.Must(err)
	}
	now, err := tool.ReadPreference(t.Context(), r.Info.UDID, keyboard, "SmartQuotesEnabled")
	r.Must(err)
	if now.Value != "NO" {
		t.Errorf("prepared: %+v", now)
	}
	later := r.Driver.Open(r.Info) // as another daemon does
	t.Cleanup(func() { later.Close() })
	done, err := later.(device.Preparer).Restore(t.Context())
	r.Must(err)
	for _, a := range done {
		if a.Error != "" || strings.HasSuffix(a.Setting, "SmartQuotesEnabled") && a.Value != "" {
			t.Errorf("%+v", a)
		}
	}
	for _, was := range before {
		if is, err := tool.ReadPreference(t.Context(), r.Info.UDID, was.Domain, was.Key); err != nil || is != was {
			t.Errorf("%+v, %v, want %+v", is, err, was)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(r.Driver.Kit.Root, "prepared", "*")); len(files) != 0 {
		t.Errorf("%q is remembered", files)
	}
}

// A run of simctl takes two seconds on a busy Mac, and a call has two minutes: the time of Prepare may not grow with the preferences.
func TestPrepareAndRestoreAreQuickWithSlowSimctl(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	tool := simctl.Tool{Run: r.Driver.Host, Xcrun: r.Driver.Tools.Tool("xcrun")}
	other := simctl.Preference{Domain: keyboard, Key: "KeyboardsOfTheUser", Kind: "string", Value: "en_US@sw=QWERTY"}
	r.Must(tool.WritePreference(t.Context(), r.Info.UDID, other))
	r.Fault(virtualxcode.Fault{Name: flaw.SimctlSlow, Times: virtualxcode.Forever, Set: map[string]string{"seconds": "2"}})
	phone := r.Phone.(device.Preparer)
	for _, c := range []struct {
		name string
		do   func(context.Context) ([]device.Adjusted, error)
		most time.Duration
	}{
		{"prepare", phone.Prepare, 15 * time.Second}, {"a second prepare", phone.Prepare, 15 * time.Second},
		{"restore", phone.Restore, time.Minute}, // it removes values one by one
	} {
		began := r.World.Now()
		done, err := c.do(t.Context())
		r.Must(err)
		if took := r.World.Now().Sub(began); took > c.most || took < 2*time.Second || len(done) < 15 {
			t.Errorf("%s took %s of the device's time for %d preferences, want at most %s", c.name, took, len(done), c.most)
		}
	}
	r.Calm()
	if is, err := tool.ReadPreference(t.Context(), r.Info.UDID, keyboard, other.Key); err != nil || is != other {
		t.Errorf("a preference of the user is %+v, %v, want %+v", is, err, other)
	}
}

// TestPrepareWritesSinglePreferencesWithoutImport: a simulator that does not read or write a whole domain gets its preferences one by one.
func TestPrepareWritesSinglePreferencesWithoutImport(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"export", "import"} {
		r := rig.New(t, func(name string, run host.Main) host.Main {
			return func(ctx context.Context, in host.Invocation) int {
				if slices.Contains(in.Args, "defaults") && slices.Contains(in.Args, verb) {
					return 1
				}
				return run(ctx, in)
			}
		})
		done, err := r.Phone.(device.Preparer).Prepare(t.Context())
		r.Must(err)
		tool := simctl.Tool{Run: r.Driver.Host, Xcrun: r.Driver.Tools.Tool("xcrun")}
		for _, a := range done {
			domain, key, _ := strings.Cut(a.Setting, " ")
			if is, err := tool.ReadPreference(t.Context(), r.Info.UDID, domain, key); err != nil || is.Value != a.Value || a.Error != "" {
				t.Errorf("without %s, %s is %q, %v %s, want %q", verb, a.Setting, is.Value, err, a.Error, a.Value)
			}
		}
		if len(done) < 15 {
			t.Errorf("without %s, %d preferences were set", verb, len(done))
		}
	}
}
