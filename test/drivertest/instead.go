package drivertest

import "slices"

// Substitute is what does for a device what its driver cannot.
type Substitute struct {
	Abilities []string // nil: all that the rows before leave
	Does      string
}

// instead is the substitute of an ability that a driver lacks; empty if the table has none.
func instead(rows []Substitute, ability string) string {
	i := slices.IndexFunc(rows, func(s Substitute) bool { return s.Abilities == nil || slices.Contains(s.Abilities, ability) })
	if i < 0 {
		return ""
	}
	return rows[i].Does
}

// InsteadOfServer is for a driver that works through a server and drives devices that another driver lists.
func InsteadOfServer() []Substitute {
	return []Substitute{
		{[]string{"set a value"}, "swipe it, or `--driver xctest` on a simulator"},
		{nil, "the driver that lists the device: simctl or devicectl"},
	}
}

// InsteadOnDevice is for a driver of physical devices.
func InsteadOnDevice() []Substitute {
	return []Substitute{
		{[]string{"film"}, "QuickTime Player on the Mac"},
		{[]string{"log"}, "the same device through usbmuxd"},
		{[]string{"log of before"}, "lines that `ios-agent logs start` stored; or a sysdiagnose"},
		{nil, "by hand on the device, or a simulator"},
	}
}
