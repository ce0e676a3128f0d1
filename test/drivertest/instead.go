package drivertest

import "slices"

// instead is what does for a device what its driver cannot; empty: nobody has said.
func instead(driver, ability string) string {
	for _, row := range insteads() {
		if slices.Contains(row.drivers, driver) && (row.abilities == nil || slices.Contains(row.abilities, ability)) {
			return row.does
		}
	}
	return ""
}

type substitute struct {
	drivers   []string
	abilities []string // nil: all that the rows before leave
	does      string
}

func insteads() []substitute {
	servers, physical := []string{"wda", "appium", "idb"}, []string{"devicectl", "xctest on a device"}
	return []substitute{
		{[]string{"xctest"}, []string{"end processes"}, "`ios-agent terminate`, by the app"},
		{servers, []string{"set a value"}, "swipe it, or `--driver xctest` on a simulator"},
		{servers, nil, "the driver that lists the device: simctl or devicectl"},
		{[]string{"devicectl"}, []string{
			"look", "tap", "double tap", "long press", "swipe", "type", "clear", "keys", "set a value", "drag", "pinch", "alerts", "rotate",
			"home button", "picture",
		}, "our agent on the device, `ios-agent agent start`; or `--driver wda`, `--driver appium`"},
		{physical, []string{"film"}, "QuickTime Player on the Mac"},
		{physical, []string{"log"}, "the same device through usbmuxd"},
		{physical, []string{"log of before"}, "what was followed: `ios-agent logs`; or a sysdiagnose"},
		{physical, nil, "by hand on the device, or a simulator"},
		{[]string{"deskapp"}, []string{"apps", "launch and end apps", "console", "log", "log of before"},
			"`ios-agent app launch` and `ios-agent app session`"},
		{[]string{"deskapp"}, []string{"end processes"}, "`ios-agent app session stop`"},
		{[]string{"deskapp"}, nil, "the app's own menus and windows; a desktop has none"},
	}
}
