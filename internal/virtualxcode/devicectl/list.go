package devicectl

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func listDevices(_ context.Context, c *call) (object, error) {
	all := c.world.Physicals()
	slices.SortFunc(all, func(a, b world.Physical) int { return cmp.Compare(a.Name, b.Name) })
	rows := [][]string{{"Name", "Hostname", "Identifier", "State", "Model"}}
	devices := []any{}
	for _, p := range all {
		rows = append(rows, []string{p.Name, p.Hostnames()[0], p.Identifier, state(p), p.Type.Name + " (" + p.Type.Model + ")"})
		devices = append(devices, c.described(p.UDID, c.troubled(p, describe(p))))
	}
	if _, yes := c.world.TakeFault("", flaw.DevicectlProperties); yes {
		for _, d := range c.world.Devices() {
			rows = append(rows, []string{d.Name, "", d.UDID, "available", d.Type.Name + " (" + d.Type.Model + ")"})
			devices = append(devices, c.described(d.UDID, simulated(d)))
		}
	}
	if len(all) == 0 {
		c.say("No devices found.\n")
	} else {
		c.say("%s", table(rows))
	}
	return object{"devices": devices}, nil
}

// troubled is a device with one of the faults of physical devices.
func (c *call) troubled(p world.Physical, device object) object {
	connection, _ := device["connectionProperties"].(object)
	about, _ := device["deviceProperties"].(object)
	for name, change := range map[string]func(){
		flaw.DeviceUnplugged:  func() { connection["tunnelState"] = "unavailable" },
		flaw.DeviceUnpaired:   func() { connection["pairingState"], connection["tunnelState"] = "unpaired", "disconnected" },
		flaw.TunnelDown:       func() { connection["tunnelState"] = "disconnected" },
		flaw.DeveloperModeOff: func() { about["developerModeStatus"] = "disabled" },
		flaw.DiskImageMissing: func() { about["ddiServicesAvailable"] = false },
	} {
		if _, yes := c.world.TakeFault(p.UDID, name); yes {
			change()
		}
	}
	return device
}

// state is the column State of the list: a network device has no tunnel until one is needed.
func state(p world.Physical) string {
	if p.Wired {
		return "connected"
	}
	return "available (paired)"
}

// table prints rows in columns; the first row is the heading.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var rule []string
	for _, w := range widths {
		rule = append(rule, strings.Repeat("-", w))
	}
	var b strings.Builder
	for _, row := range slices.Insert(slices.Clone(rows), 1, rule) {
		for i, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			if i < len(row)-1 {
				b.WriteString("   ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const jsonTime = "2006-01-02T15:04:05.000Z"

// describe returns the full description of a device. Without a tunnel it has less.
func describe(p world.Physical) object {
	connection := object{
		"authenticationType": "manualPairing", "isMobileDeviceOnly": false, "lastConnectionDate": p.Paired.Format(jsonTime),
		"pairingState":       "paired",
		"potentialHostnames": array(p.Hostnames()[1:]), "transportType": "localNetwork", "tunnelState": "disconnected",
		"tunnelTransportProtocol": "tcp",
	}
	about := object{
		"bootedFromSnapshot": true, "bootedSnapshotName": "com.apple.os.update-" + snapshot(p), "ddiServicesAvailable": p.Wired,
		"developerModeStatus": "enabled", "hasInternalOSBuild": false, "name": p.Name, "osBuildUpdate": p.Hardware.Build,
		"osVersionNumber": p.Runtime.Version, "rootFileSystemIsWritable": false,
	}
	if p.Wired {
		connection["localHostnames"], connection["transportType"] = array(p.Hostnames()), "wired"
		connection["tunnelState"], connection["tunnelIPAddress"] = "connected", "fd3a:51c7:9e20::1"
		about["bootState"], about["screenViewingURL"] = "booted", "devices://device/open?id="+p.Identifier
	}
	return object{
		"capabilities": capabilities(p), "connectionProperties": connection, "deviceProperties": about, "hardwareProperties": hardware(p),
		"identifier": p.Identifier, "tags": []any{}, "visibilityClass": "default",
	}
}

// simulated is the description of a simulator; JSON versions before 5 list no simulators.
func simulated(d world.Device) object {
	return object{
		"capabilities": []any{}, "identifier": d.UDID, "tags": []any{}, "visibilityClass": "Simulator",
		"connectionProperties": object{"pairingState": "paired", "transportType": "sameMachine", "tunnelState": "connected"},
		"deviceProperties":     object{"name": d.Name, "osBuildUpdate": d.Runtime.Build, "osVersionNumber": d.Runtime.Version},
		"hardwareProperties": object{"deviceType": d.Type.Family, "marketingName": d.Type.Name, "platform": d.Runtime.Platform,
			"productType": d.Type.Model, "reality": "simulated", "udid": d.UDID},
	}
}

// described is a device in the requested version of the JSON. Version 5 has properties; the old fields are deprecated and may be
// missing.
func (c *call) described(udid string, device object) object {
	hit, yes := c.world.TakeFault(udid, flaw.DevicectlProperties)
	if !yes {
		return device
	}
	c.jsonVersion = 5
	device["properties"] = newProperties(device)
	old := []string{"hardwareProperties", "deviceProperties", "connectionProperties"}
	if hit.Word("old_fields") == "stay" {
		device["_deprecationNotice"] = object{"deprecatedFields": array(old), "replacement": "properties",
			"message": "The 'hardwareProperties', 'deviceProperties', 'connectionProperties' fields are deprecated and will be removed in a " +
				"future release. Use the 'properties' dictionary instead."}
		return device
	}
	for _, key := range old {
		delete(device, key)
	}
	return device
}

// newProperties converts the three dictionaries of a device to version 5.
func newProperties(device object) object {
	about, _ := device["deviceProperties"].(object)
	was, _ := device["connectionProperties"].(object)
	connection := maps.Clone(was)
	for now, before := range map[string]string{"state": "tunnelState", "tunnelIPAddressString": "tunnelIPAddress"} {
		if value := connection[before]; value != nil {
			connection[now] = value
		}
		delete(connection, before)
	}
	state := object{"name": about["name"], "visibilityClass": device["visibilityClass"]}
	if boot := about["bootState"]; boot != nil {
		state["bootState"] = boot
	}
	if mode, is := about["developerModeStatus"].(string); is {
		state["developerModeStatus"] = object{mode: object{}}
	}
	return object{
		"connection": connection, "hardware": device["hardwareProperties"], "state": state,
		"software": object{"osBuildVersions": object{"buildVersion": object{"name": about["osBuildUpdate"]}},
			"osVersionNumber": object{"stringValue": about["osVersionNumber"]}},
	}
}

// snapshot is the name of the system's disk image: 64 fixed digits.
func snapshot(p world.Physical) string {
	digits := strings.ReplaceAll(p.Identifier, "-", "")
	return digits + digits
}

func hardware(p world.Physical) object {
	cpu := func(name string, kind, subtype int) object {
		return object{"name": name, "subType": subtype, "type": kind}
	}
	const arm64, arm64on32 = 16777228, 33554444
	return object{
		"cpuType": cpu("arm64e", arm64, 2), "deviceType": p.Type.Family, "ecid": p.ECID, "hardwareModel": p.Board,
		"internalStorageCapacity": p.Storage, "isProductionFused": true, "marketingName": p.Type.Name, "platform": p.Runtime.Platform,
		"productType": p.Type.Model, "reality": "physical", "serialNumber": p.Serial,
		"supportedCPUTypes": []any{cpu("arm64e", arm64, 2), cpu("arm64", arm64, 0), cpu("arm64", arm64, 1),
			cpu("arm64_32", arm64on32, 1)},
		"supportedDeviceFamilies": array(p.Families), "thinningProductType": p.Type.Model, "udid": p.UDID,
	}
}

// capabilities are the actions that a device supports. Without a tunnel that is only creating one.
func capabilities(p world.Physical) []any {
	names := [][2]string{{"acquireusageassertion", "Acquire Usage Assertion"}, {"unpairdevice", "Unpair Device"},
		{"connectdevice", "Connect to Device"}}
	if p.Wired {
		names = [][2]string{
			{"getlockstate", "Get Lock State"}, {"fetchappicons", "Fetch Application Icons"}, {"spawnexecutable", "Spawn Executable"},
			{"listprocesses", "List Processes"}, {"sendsignaltoprocess", "Send Signal to Process"},
			{"fetchddimetadata", "Fetch Developer Disk Image Services Metadata"},
			{"getdisplayinfo", "Get Display Information"}, {"installapp", "Install Application"},
			{"launchapplication", "Launch Application"},
			{"getdeviceinfo", "Fetch Extended Device Info"}, {"uninstallapp", "Uninstall Application"},
			{"disconnectdevice", "Disconnect from Device"},
			{"viewdevicescreen", "View Device Screen"}, {"unpairdevice", "Unpair Device"}, {"capturesysdiagnose", "Capture Sysdiagnose"},
			{"listapps", "List Applications"}, {"acquireusageassertion", "Acquire Usage Assertion"}, {"transferFiles", "Transfer Files"},
			{"monitorprocesstermination", "Monitor Process for Termination"}, {"rebootdevice", "Reboot Device"},
		}
	}
	out := []any{}
	for _, n := range names {
		out = append(out, object{"featureIdentifier": "com.apple.coredevice.feature." + n[0], "name": n[1]})
	}
	return out
}

// clock is the time in progress lines.
func clock(t time.Time) string { return t.Format("15:04:05") }
