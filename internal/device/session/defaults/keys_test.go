package defaults_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device/session/defaults"
)

func TestTable(t *testing.T) {
	want := "projectPath workspacePath scheme configuration simulatorId simulatorName deviceId useLatestOS arch " +
		"suppressWarnings simulatorPlatform derivedDataPath platform bundleId preferXcodebuild env extraArgs"
	if got := strings.Join(defaults.Keys().Names(), " "); got != want {
		t.Errorf("got %s", got)
	}
	groups := [][]string{{"projectPath", "workspacePath"}, {"simulatorId", "simulatorName"}}
	if got := defaults.Groups(); !reflect.DeepEqual(got, groups) {
		t.Errorf("got %v", got)
	}
	for _, k := range defaults.Keys() {
		if k.Doc == "" || (k.Kind == defaults.Choice) != (len(k.Choices) > 0) || k.Path && k.Kind != defaults.Text {
			t.Errorf("bad row: %+v", k)
		}
	}
}

// TestVariables has the source system's names: they are a contract.
func TestVariables(t *testing.T) {
	var got []string
	for _, k := range defaults.Keys() {
		for _, v := range k.Variables() {
			if rest, ok := strings.CutPrefix(v, "XCODEBUILDMCP_"); ok {
				got = append(got, rest)
			}
		}
	}
	want := strings.Fields("WORKSPACE_PATH PROJECT_PATH SCHEME CONFIGURATION SIMULATOR_NAME SIMULATOR_ID SIMULATOR_PLATFORM " +
		"DEVICE_ID DERIVED_DATA_PATH PLATFORM BUNDLE_ID USE_LATEST_OS SUPPRESS_WARNINGS PREFER_XCODEBUILD ARCH")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
