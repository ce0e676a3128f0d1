package device_test

import (
	"testing"

	"ios-agent/internal/device"
)

func TestOwnerMatchesEmptyOrEqualFields(t *testing.T) {
	o := device.Owner{Session: "ann", UDID: "A"}
	for want, is := range map[device.Owner]bool{
		{}:                            true,
		{Session: "ann"}:              true,
		{UDID: "A"}:                   true,
		{Session: "ann", UDID: "A"}:   true,
		{Session: "bob"}:              false,
		{Session: "ann", UDID: "B"}:   false,
		{Session: "other", UDID: "A"}: false,
	} {
		if o.Matches(want) != is {
			t.Errorf("%+v matches %+v: %v", o, want, !is)
		}
	}
}
