package telemetry_test

import (
	"slices"
	"testing"

	"ios-agent/internal/telemetry"
)

func TestOfAppsMatchesAppSources(t *testing.T) {
	for _, s := range telemetry.Sources() {
		want := slices.Contains([]telemetry.Source{telemetry.Simulator, telemetry.Device, telemetry.Console, telemetry.OSLog}, s)
		if s.OfApps() != want {
			t.Errorf("%s: OfApps = %v, want %v", s, s.OfApps(), want)
		}
		if in := slices.Contains(telemetry.AppSources(), s); in != want {
			t.Errorf("%s: in AppSources = %v, want %v", s, in, want)
		}
		host := slices.Contains([]telemetry.Source{telemetry.Build, telemetry.Server, telemetry.Proxy}, s)
		if s.OfHost() != host {
			t.Errorf("%s: OfHost = %v, want %v", s, s.OfHost(), host)
		}
	}
	if unknown := telemetry.Source("radio"); unknown.OfApps() || unknown.OfHost() {
		t.Error("a source that is not in the table has a speaker")
	}
	want := []string{"simulator", "device", "console", "oslog", "crash", "build", "server", "proxy"}
	if got := telemetry.Source("").Choices(); !slices.Equal(got, want) {
		t.Errorf("choices = %q, want %q", got, want)
	}
}
