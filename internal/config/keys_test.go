package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/config"
)

func TestKeysMatchContract(t *testing.T) {
	want := "projectPath workspacePath scheme configuration simulatorId simulatorName deviceId useLatestOS arch " +
		"suppressWarnings simulatorPlatform derivedDataPath platform bundleId preferXcodebuild env extraArgs"
	if got := strings.Join(config.Keys().Names(), " "); got != want {
		t.Errorf("got %s", got)
	}
	groups := [][]string{{"projectPath", "workspacePath"}, {"simulatorId", "simulatorName"}}
	if got := config.Groups(); !reflect.DeepEqual(got, groups) {
		t.Errorf("got %v", got)
	}
	for _, k := range config.Keys() {
		if k.Doc == "" || (k.Kind == config.Choice) != (len(k.Choices) > 0) || k.Path && k.Kind != config.Text {
			t.Errorf("bad row: %+v", k)
		}
	}
}

// TestVariableNamesMatchSourceSystem has the source system's names: they are a contract.
func TestVariableNamesMatchSourceSystem(t *testing.T) {
	var got []string
	for _, k := range config.Keys() {
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
