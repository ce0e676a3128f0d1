package xctest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
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
