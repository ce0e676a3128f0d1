package world

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The state of a device is kept under these names. A world of an earlier version must be found again: a name may be
// added, but none may change.
func TestStoredDeviceFieldNamesAreStable(t *testing.T) {
	data, err := json.Marshal(&device{})
	var kept map[string]any
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "Alerts Apps BootFor Crashes Front Hardware LastBooted Locked Name NextPID Number On Orientation Outputs Prompts " +
		"Removed Running RuntimeID Settings Since TypeID UDID"
	if got := strings.Join(slices.Sorted(maps.Keys(kept)), " "); got != want {
		t.Errorf("kept are\n%s\nwant\n%s", got, want)
	}
}
