package wda

import vmark "ios-agent/internal/virtualxcode/mark"

// Marks say what is known of WebDriverAgent. Its routes and the shapes of its answers are in its public sources; what XCTest does
// below them is assumed.
func Marks() (all []vmark.Mark) {
	const name = "WebDriverAgent"
	for _, b := range []string{
		"routes: names, arguments, answers and HTTP codes are those of the sources of appium-webdriveragent 16.12, and of recorded " +
			"answers of 10.2.1",
		"sessions: there is one, a new one ends it, and one that is named and gone is an invalid session id",
		"source: the JSON of an element has rawIdentifier, nativeFrame and traits; its value is the label of a text, the placeholder of an " +
			"empty field and 1 of a selected button",
		"source: the tree of an app has not what SpringBoard shows over it; the setting defaultActiveApplication shows that",
		"source: what lies deeper than snapshotMaxDepth is left out and nobody is told",
		"focus: GET element/active is the element that keys go to, and focused is of the focus of a television",
		"keys: wda/keys without a focus answers a success, and the text is lost",
		"actions: a finger moves in the time of its move, not in the pause before it",
		"apps: a launch of a running app brings it to the front; the state of an app that is not installed is 0",
		"start: the runner takes USE_PORT from its environment, by SIMCTL_CHILD_USE_PORT of simctl launch or in the .xctestrun, and listens on " +
			"all addresses; GET /status answers when it is ready",
		"start: a prebuilt one runs on a physical device by test-without-building, and listens on its port USE_PORT, where usbmuxd leads",
		"locked: a launch on a locked device fails, and GET wda/locked says why",
	} {
		all = append(all, vmark.Mark{Tool: name, Behaviour: b, Source: vmark.Assumed})
	}
	return all
}
