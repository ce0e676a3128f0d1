package drivertest

import (
	"fmt"
	"slices"
	"strings"
)

// How a claim is known.
const (
	Observed = "observed" // an output of the real thing was recorded, or a run of it was seen
	Assumed  = "assumed"  // somebody else says so; nobody here has seen it
)

// Kinds of devices and of apps in the second table.
const (
	Simulator = "simulator"
	Physical  = "device"

	UIKit       = "UIKit"
	SwiftUI     = "SwiftUI"
	ReactNative = "React Native"
	Flutter     = "Flutter"
	WebView     = "web view"
)

// Systems are the major versions of iOS that the table speaks of. Apple left out those between 18 and 26.
func Systems() []int { return []int{15, 16, 17, 18, 26, 27} }

// AppKinds are the kinds of apps that the table speaks of.
func AppKinds() []string { return []string{UIKit, SwiftUI, ReactNative, Flutter, WebView} }

// Claim says whether a part of ios-agent works somewhere.
type Claim struct {
	First, Last int      // major versions of iOS
	Xcode       string   // which ones drive it
	Device      string   // Simulator or Physical; empty: both
	Apps        []string // kinds of apps; nil: all
	What        string   // the part
	Works       string   // yes, partly or no
	Known       string   // Observed or Assumed
	Source      string   // who says so
	Fallback    string   // what does it where it does not work
}

// Claims are all that is known of systems, Xcodes, devices and kinds of apps. This is the one place.
func Claims() []Claim {
	return slices.Concat(toolClaims(), deviceClaims(), appClaims())
}

const appleTable = "https://developer.apple.com/support/xcode/"

// toolClaims are about Xcode and simulators.
func toolClaims() []Claim {
	return []Claim{
		{First: 15, Last: 18, Xcode: "16", Device: Simulator, What: "simctl, build, test", Works: "yes", Known: Observed,
			Source: "recorded outputs of Xcode 16 that the tests read (`docs/verified.md`)"},
		{First: 15, Last: 26, Xcode: "26", Device: Simulator, What: "simctl, build, test", Works: "yes", Known: Assumed, Source: appleTable,
			Fallback: "another Xcode: `DEVELOPER_DIR`"},
		{First: 15, Last: 27, Xcode: "27", Device: Simulator, What: "simctl, build, test", Works: "yes", Known: Assumed,
			Source: "https://github.com/okwasniewski/MiniSim/pull/155: Device Hub instead of Simulator.app", Fallback: "Xcode 26: `DEVELOPER_DIR`"},
		{First: 15, Last: 27, Xcode: "16 to 27", Device: Simulator, What: "screens and input through our agent (xctest)", Works: "yes",
			Known:    Assumed,
			Source:   "XCTest's documentation; the agent's contract on Virtual Xcode",
			Fallback: "`--driver wda` or `--driver appium`"},
		{First: 26, Last: 27, Xcode: "27", Device: Simulator, What: "touches of tools that send HID events (idb, AXe)", Works: "no",
			Known:    Assumed,
			Source:   "C23 of the field report: ios-simulator-skill#101, quern#222, argent#1176",
			Fallback: "not needed: ios-agent touches through XCTest unless you choose `--driver idb`"},
		{First: 15, Last: 26, Xcode: "15 to 26", Device: Simulator, What: "screens and input through idb_companion (idb)", Works: "yes",
			Known:    Assumed,
			Source:   "the sources of idb 1.5, and recorded trees of idb that the tests read",
			Fallback: "`--driver xctest`"},
		{First: 15, Last: 26, Xcode: "15 to 26", Device: Simulator, What: "characters outside a US keyboard, through idb_companion (idb)",
			Works: "no", Known: Assumed, Source: "the sources of idb 1.5: it presses keys",
			Fallback: "`--driver xctest`, or the pasteboard; the fault says so, before any key is pressed"},
		{First: 27, Last: 27, Xcode: "27", What: "Xcode's own `xcrun mcp-server`", Works: "no", Known: Assumed,
			Source:   "https://github.com/lynnswap/XcodeMCPKit: its tools, its questions to the user",
			Fallback: "the doctor reports it; an agent can use it besides ios-agent"},
	}
}

// deviceClaims are about physical devices.
func deviceClaims() []Claim {
	return []Claim{
		{First: 17, Last: 18, Xcode: "15 to 16", Device: Physical, What: "apps and console by devicectl", Works: "yes", Known: Observed,
			Source: "recorded outputs of devicectl, JSON version 2, that the tests read"},
		{First: 26, Last: 27, Xcode: "26 to 27", Device: Physical, What: "apps and console by devicectl", Works: "yes", Known: Assumed,
			Source: "https://github.com/dotnet/macios/issues/26482: JSON version 5", Fallback: "Xcode's Devices window"},
		{First: 15, Last: 16, Xcode: "15 to 27", Device: Physical, What: "apps and console by devicectl", Works: "no", Known: Assumed,
			Source:   "Apple: CoreDevice is for iOS 17 and later",
			Fallback: "usbmuxd for the log; WebDriverAgent or Appium for the rest"},
		{First: 15, Last: 27, Xcode: "15 to 27", Device: Physical, What: "screens and input through WebDriverAgent (wda)", Works: "yes",
			Known:    Assumed,
			Source:   "recorded answers of WebDriverAgent 10.2.1 on iOS 26.2 that the tests read",
			Fallback: "`--driver appium`, whose server signs and starts it"},
		{First: 15, Last: 27, Xcode: "15 to 27", What: "screens and input through an Appium server (appium)", Works: "yes", Known: Assumed,
			Source:   "recorded logs of Appium on iOS 16 and 26",
			Fallback: "`--driver wda`"},
	}
}

// appClaims are about kinds of apps, on any device, looked at through XCTest.
func appClaims() []Claim {
	every := func(c Claim) Claim {
		c.First, c.Last, c.Xcode = 15, 27, "15 to 27"
		return c
	}
	return []Claim{
		every(Claim{Apps: []string{UIKit}, What: "elements, labels, identifiers", Works: "yes", Known: Assumed, Source: "XCTest's documentation",
			Fallback: "`ios-agent screenshot --annotate`, and a tap at a place"}),
		every(Claim{Apps: []string{SwiftUI}, What: "elements, labels, identifiers", Works: "partly", Known: Assumed,
			Source:   "A1, A2, A3 of the field report: tabs of a TabView in one group (XcodeBuildMCP#439), search fields missing (idb#892)",
			Fallback: "a tap at a place; `accessibilityIdentifier` on the view"}),
		every(Claim{Apps: []string{ReactNative}, What: "elements, labels, identifiers", Works: "yes", Known: Assumed,
			Source:   "A4 of the field report: controls of the type Other (mobile-mcp#88, #160); ios-agent recognizes them by their actions",
			Fallback: "`testID` and `accessible` on the view"}),
		{First: 15, Last: 27, Xcode: "15 to 27", Device: Simulator, Apps: []string{Flutter}, What: "elements, labels", Works: "yes",
			Known:  Assumed,
			Source: "https://github.com/flutter/flutter/issues/94776: on a simulator semantics are on", Fallback: "a tap at a place"},
		{First: 15, Last: 27, Xcode: "15 to 27", Device: Physical, Apps: []string{Flutter}, What: "elements, labels", Works: "partly",
			Known:    Assumed,
			Source:   "https://github.com/flutter/flutter/issues/94776: on a device semantics are off until an assistive technology is on",
			Fallback: "`SemanticsBinding.instance.ensureSemantics()` in the app, or Speak Screen on the device"},
		every(Claim{Apps: []string{WebView}, What: "the page, by accessibility", Works: "partly", Known: Assumed,
			Source:   "A13 of the field report: AXe#65, mobile-mcp#147: content absent, with no marker",
			Fallback: "the page by Appium's web context (`--appium-url`): `source: web` in the snapshot"}),
		{First: 15, Last: 16, Xcode: "15 to 27", Apps: []string{WebView}, What: "the page, by Appium's web context", Works: "yes", Known: Assumed,
			Source: "https://github.com/appium/appium-xcuitest-driver/pull/1721", Fallback: "a tap at a place of the picture"},
		{First: 17, Last: 27, Xcode: "15 to 27", Apps: []string{WebView}, What: "the page, by Appium's web context", Works: "partly",
			Known:    Assumed,
			Source:   "https://github.com/appium/appium/issues/14178: from 16.4 on only where the app sets `isInspectable`",
			Fallback: "`isInspectable = true` on the WKWebView in debug builds; else a tap at a place of the picture"},
	}
}

// check says what is wrong with a claim; empty: nothing.
func (c Claim) check() string {
	switch {
	case c.First > c.Last || !slices.Contains(Systems(), c.First) || !slices.Contains(Systems(), c.Last):
		return "its systems are none"
	case c.Xcode == "" || c.What == "":
		return "it says not what or with which Xcode"
	case !slices.Contains([]string{"", Simulator, Physical}, c.Device):
		return "it is about no kind of device"
	case slices.ContainsFunc(c.Apps, func(kind string) bool { return !slices.Contains(AppKinds(), kind) }):
		return "it is about no kind of app"
	case !slices.Contains([]string{"yes", "partly", "no"}, c.Works):
		return "it says not whether it works"
	case !slices.Contains([]string{Observed, Assumed}, c.Known):
		return "it says not how it is known"
	case c.Source == "":
		return "it has no source"
	case c.Fallback == "" && (c.Works != "yes" || c.Known == Assumed):
		return "it says not what helps where it does not work"
	}
	return ""
}

// compatText is the second table.
func compatText() string {
	out := strings.Builder{}
	out.WriteString("\n## Systems, Xcodes, devices and kinds of apps\n\n" +
		"- **observed**: tests read a recorded output of the real thing.\n" +
		"- **assumed**: the source says so; ios-agent is developed on Linux, and we have not seen it ourselves. `make verify-mac` on a\n" +
		"  Mac shows which assumptions hold.\n\n" +
		"| iOS | Xcode | devices | apps | what | works | known | source | alternative |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range Claims() {
		systems := fmt.Sprintf("%d–%d", c.First, c.Last)
		if c.First == c.Last {
			systems = fmt.Sprint(c.First)
		}
		devices, apps := "both", "all"
		if c.Device != "" {
			devices = c.Device
		}
		if c.Apps != nil {
			apps = strings.Join(c.Apps, ", ")
		}
		cells := []string{systems, c.Xcode, devices, apps, c.What, c.Works, c.Known, c.Source, c.Fallback}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	return out.String()
}
