package xcresult

import "strings"

// action is the single action of a run.
func (b Bundle) action(issues, metrics object) object {
	result := b.actionResult("action", b.status(), issues, metrics)
	if len(b.Tests) > 0 {
		result["testsRef"] = b.reference("tests", "ActionTestPlanRunSummaries")
		result["diagnosticsRef"] = b.reference("diagnostics", "")
	}
	build := b.actionResult("build", b.Build.Status, typed("ResultIssueSummaries", nil), typed("ResultMetrics", nil))
	command, task := "Build", "Build"
	var plan any
	if b.Tested {
		command, task, plan = "Test", "BuildAndAction", b.Scheme
	}
	return typed("ActionRecord", object{
		"actionResult": result, "buildResult": build, "runDestination": b.destination(),
		"schemeCommandName": command, "schemeTaskName": task, "title": b.Title, "testPlanName": plan,
		"startedTime": date(b.Start), "endedTime": date(b.End),
	})
}

func (b Bundle) status() string {
	if b.Outcome() == Failed {
		return "failed"
	}
	return "succeeded"
}

func (b Bundle) actionResult(name, status string, issues, metrics object) object {
	coverage := object{}
	if name == "action" && b.HasCoverage {
		coverage = object{"hasCoverageData": true, "reportRef": b.reference("coverage report", ""),
			"archiveRef": b.reference("coverage archive", "")}
	}
	members := object{"resultName": name, "status": status, "issues": issues, "metrics": metrics,
		"coverage": typed("CodeCoverageInfo", coverage)}
	if status != "notRequested" {
		members["logRef"] = b.reference(name+" log", "ActivityLogSection")
	}
	return typed("ActionResult", members)
}

func (b Bundle) destination() object {
	d := b.Device
	sdk := strings.ToLower(strings.ReplaceAll(d.Platform, " ", ""))
	platform := typed("ActionPlatformRecord", object{"identifier": "com.apple.platform." + sdkNames[d.Platform],
		"userDescription": d.Platform})
	device := object{"identifier": d.ID, "isConcreteDevice": true, "modelName": d.Model, "modelCode": d.Model, "modelUTI": "com.apple." +
		sdk, "name": d.Name,
		"nativeArchitecture": d.Architecture, "operatingSystemVersion": d.OS, "operatingSystemVersionWithBuildNumber": d.OS + " (" +
			d.OSBuild + ")", "platformRecord": platform}
	mac := object{"identifier": "00006000-000000000000001E", "isConcreteDevice": true, "modelName": "MacBook Pro",
		"modelCode": "MacBookPro18,3", "modelUTI": "com.apple.macbookpro-14-2021",
		"name": "My Mac", "nativeArchitecture": "arm64e", "operatingSystemVersion": "15.5",
		"operatingSystemVersionWithBuildNumber": "15.5 (24F74)",
		"cpuKind":                               "Apple M1 Pro", "platformRecord": typed("ActionPlatformRecord",
			object{"identifier": "com.apple.platform.macosx", "userDescription": "macOS"})}
	for key, n := range map[string]int{"busSpeedInMHz": 0, "cpuCount": 1, "cpuSpeedInMHz": 0, "logicalCPUCoresPerPackage": 8,
		"physicalCPUCoresPerPackage": 8, "ramSizeInMegabytes": 16384} {
		mac[key] = n
	}
	return typed("ActionRunDestinationRecord", object{
		"displayName": d.Name, "targetArchitecture": d.Architecture,
		"targetDeviceRecord": typed("ActionDeviceRecord", device), "localComputerRecord": typed("ActionDeviceRecord", mac),
		"targetSDKRecord": typed("ActionSDKRecord", object{"identifier": sdkNames[d.Platform] + d.OS, "name": d.Platform + " " + d.OS,
			"operatingSystemVersion": d.OS}),
	})
}

// sdkNames are the names of platforms in identifiers.
var sdkNames = map[string]string{
	"iOS": "iphoneos", "iOS Simulator": "iphonesimulator", "macOS": "macosx", "watchOS": "watchos", "watchOS Simulator": "watchsimulator",
	"tvOS": "appletvos", "tvOS Simulator": "appletvsimulator", "visionOS": "xros", "visionOS Simulator": "xrsimulator",
}
