package main

// strobe are the facts of seed 002.
func strobe() []row {
	const wire, request, differs, points, keys, hands = "desktop:TestJSONUsesCamelCaseAndOmitsEmptyFields",
		"desktop:TestRequestJSONIsValidated", "desktop:TestDiffersIgnoresBoundsAndChildren",
		"desktop:TestElementCentreAndDragPathAreComputed",
		"desktop:TestKeyOfReadsAliasesAndRefusesUnknownKeys", "desktop:TestPerformerPrefersAccessibilityOverInput"
	const scenarios, refusals, faults = "house:TestDesktopScenarios", "house:TestDesktopRefusalIsAnswerNotFault",
		"house:TestInvalidDesktopRequestsAreFaults"
	return []row{
		works("debug_ui_action: click", scenarios, "strobe:TestActionShowsElementBeforeAndAfter"), works("debug_ui_action: set_value", scenarios),
		works("debug_ui_action: type", scenarios), works("debug_ui_action: key", scenarios), works("debug_ui_action: scroll", scenarios),
		works("debug_ui_action: drag", scenarios),
		works("a request with a session and an id is taken", request), works("an empty session is refused", request),
		works("click without an id is refused", request), works("key needs no id", request), works("key without a key is refused", request),
		works("type without a text is refused", request), works("drag without toId is refused", request),
		works("scroll without a direction is refused", request), works("set_value without a value is refused", request),
		works("inputs are in camelCase", wire), works("settleMs is taken", wire, "house:TestDesktopActionReportsOnlyRealChanges"),
		works("answer: success and method", wire, scenarios), works("answer: nodeBefore and nodeAfter", scenarios),
		works("answer: changed", scenarios, "house:TestDesktopActionReportsOnlyRealChanges"),
		works("answer: what is not there is absent, not null", wire),

		works("another value is a change", differs), works("key and screenshot need no tree", "windows:TestRealProgramWithoutTreeTakesKeys"),
		works("another focus is a change, and the same node is none", differs),
		works("enabled or not is a change", differs), works("another title is a change", differs),
		works("children and bounds do not count", differs),

		works("an id is made of role, title and place", "desktop:TestMintedIDsMatchStrobe"),
		works("an id is found again in a tree read anew", scenarios),
		works("an id that is not there is an answer: node not found", refusals),
		works("a process that is not there is told", "desktop:TestOpenFailsForUnknownProcess"),
		works("windows are counted without menu bars", "atspi:TestLookIsSameWithAndWithoutCache"),
		works("a tree that is too deep is bounded", "atspi:TestTreeReportsElementsCutByLimits"),

		works("a click goes to the middle of the element", points),
		works("a row that is scrolled out is scrolled into view", "windows:TestRealRowOutOfSightIsScrolledToAndClicked"),
		departs("an id changes with the title and the place", "it stays with its element, so that a diff and the next action mean the same",
			"docs/desktop.md", "an id stays with its element when its title or place changes"),
		works("a drag moves in ten steps, never back", points),
		departs("nodes of an answer have their children", "a large window would cost a page for each click; children has them", "docs/desktop.md",
			"nodes in the answer of an action have no children"),
		works("cmd and shift", "desktop:TestModifiersRefuseUnknownName"),
		departs("page down is not a key", "page up and down, home, end and forward delete are keys here", "docs/desktop.md",
			"page up and down, home, end and forward delete are keys"),
		works("none, one or all four modifiers", "desktop:TestModifiersRefuseUnknownName"),
		works("command, option and control are names too", "desktop:TestModifiersRefuseUnknownName"),
		departs("a modifier that nobody knows is ignored", "it is refused: another key would be pressed than was meant", "docs/desktop.md",
			"An unknown modifier is refused"),
		works("Linux is driven too, where strobe had a stub", scenarios, "atspi:TestActionsReachProgram"),

		works("click by accessibility first", hands), works("click by input where there is no press", hands),
		works("an element without bounds cannot be clicked by input, and is told so", hands),
		works("a number sets a slider", scenarios, "desktop:TestSetValueConvertsJSONForElement"),
		works("a number as a text sets a slider, and one out of its range is refused", "desktopops:TestSliderRefusesValueOutsideRange"),
		works("a text or a number sets a field", scenarios, "desktop:TestSetValueConvertsJSONForElement"),
		works("what takes no value says to try type", refusals),
		works("type focuses first, by accessibility or a click", hands), works("any character is typed", hands),
		works("scroll in four directions, three lines unless said", hands, request),
		works("drag from one element to another", "desktop:TestDragToHoldsStillBeforeMoving"),
		works("a drag to what is not there is an answer", refusals), works("keys by their names", keys),
		works("an unknown key is an answer: unknown key", refusals, keys), works("key answers without nodes", scenarios),
		works("windows are still for settleMs, 80 unless said", "house:TestDesktopActionReportsOnlyRealChanges"),

		works("the tool is listed with its schema", "house:TestDesktopSetHasStrobeToolNames"),
		works("a session that has ended, or is not there, is told before anything is done", faults),
		works("answers are indented JSON", "house:TestDesktopSetHasStrobeToolNames"),
		works("debug_launch, debug_attach, debug_windows and debug_session", "house:TestDesktopSessionsReportTheirProcess"),
		works("debug_ui: the tree, and a picture", "strobe:TestLookShowsTreeOrScreenshot"),
		departs("debug_ui: vision", "strobe's is a program of its own that guesses", "docs/desktop.md", "`vision` is missing"),
		works("all nine scenarios in one run", scenarios),
	}
}
