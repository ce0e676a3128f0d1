package wda

import vmark "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of WebDriverAgent. Its routes and the shapes of its answers come from its public sources; XCTest's effects
// are assumed.
func Marks() (all []vmark.Mark) {
	const name = "WebDriverAgent"
	for _, b := range []string{
		"routes: names, arguments, answers and HTTP codes come from the sources of appium-webdriveragent 16.12, and of recorded " +
			"answers of 10.2.1",
		"sessions: there is one session, a new session ends it, and the id of an ended session is an invalid session id",
		"source: the JSON of an element has rawIdentifier, nativeFrame and traits; its value is the label of a text, the placeholder of an " +
			"empty field and 1 of a selected button",
		"source: the tree of an app omits SpringBoard's elements over it; the setting defaultActiveApplication shows them",
		"source: elements deeper than snapshotMaxDepth are omitted without a notice",
		"focus: GET element/active returns the element that receives keys; focused is the focus of tvOS",
		"keys: wda/keys without a focus answers a success, and the text is lost",
		"actions: a finger moves for the duration of its move, not during the pause before it",
		"apps: a launch of a running app brings it to the front; the state of an app that is not installed is 0",
		"start: the runner takes USE_PORT from its environment, by SIMCTL_CHILD_USE_PORT of simctl launch or in the .xctestrun, and listens on " +
			"all addresses; GET /status answers when it is ready",
		"start: test-without-building runs a prebuilt one on a physical device; it listens on USE_PORT, reachable through usbmuxd",
		"locked: a launch on a locked device fails, and GET wda/locked says why",
	} {
		all = append(all, vmark.Mark{Tool: name, Behaviour: b, Source: vmark.Assumed})
	}
	return all
}
