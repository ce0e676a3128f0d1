package testrun_test

import (
	"path/filepath"
	"testing"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/xcode/build"
	"ios-agent/internal/xcode/testrun"
)

// TestTheLastRunIsItsSessions: the result bundle of a run is remembered for the session that ran it, and for no other.
func TestTheLastRunIsItsSessions(t *testing.T) {
	xcode, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { xcode.Close() })
	runner, err := host.New(host.Options{Inside: xcode.Program})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	dir := t.TempDir()
	if err := virtualxcode.WriteSample(dir, "app"); err != nil {
		t.Fatal(err)
	}
	runs := testrun.New(build.New(build.Options{Run: runner, Tools: apple.Toolchain{Name: apple.Virtual}, Dir: t.TempDir()}))
	out, err := runs.Run(t.Context(), "ada", build.Request{
		Action: build.Test, Project: filepath.Join(dir, "Tally.xcodeproj"), Scheme: "Tally",
		Destination: build.Destination{Platform: build.IOS + build.Simulated, Name: "iPhone 16 Pro"},
	}, nil)
	if err != nil || out.Bundle == "" {
		t.Fatalf("%+v %v", out, err)
	}
	if bundle, err := runs.Bundle("ada", ""); err != nil || bundle != out.Bundle {
		t.Errorf("%q %v", bundle, err)
	}
	if bundle, err := runs.Bundle("bob", "/given.xcresult"); err != nil || bundle != "/given.xcresult" {
		t.Errorf("%q %v", bundle, err)
	}
	if bundle, err := runs.Bundle("bob", ""); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("%q %v", bundle, err)
	}
}
