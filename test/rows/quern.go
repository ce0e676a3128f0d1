package main

import "strings"

// The tools of quern by where their tests are. Each is a row: its name, its path in the guide, its input and the shape of its answer.
const (
	shapedTools = "ensure_server tail_logs query_logs get_log_summary get_errors get_build_result get_latest_crash set_log_filter " +
		"list_log_sources list_devices boot_device shutdown_device install_app launch_app terminate_app list_apps get_ui_tree " +
		"get_element_state wait_for_element get_screen_summary tap tap_element swipe type_text clear_text press_button set_location " +
		"grant_permission list_device_pool claim_device release_device resolve_device ensure_devices"
	proxyTools = "query_flows get_flow_detail get_flow_summary proxy_status start_proxy stop_proxy set_intercept clear_intercept " +
		"list_held_flows release_flow replay_flow set_mock list_mocks clear_mocks"
)

// quern are the facts of seed 000.
func quern() []row {
	var rows []row
	for name := range strings.FieldsSeq(shapedTools) {
		rows = append(rows, works("tool "+name, "house:TestQuernAnswersHaveItsKeys/"+name, "house:TestAQuernMCPSession"))
	}
	for name := range strings.FieldsSeq(proxyTools) {
		rows = append(rows, works("tool "+name, "house:TestAQuernProxySession", "house:TestQuernNetworkAnswersMatchGolden",
			"house:TestAQuernMCPSession"))
	}
	const session, pool, hierarchy, clears = "house:TestAQuernMCPSession", "house:TestQuernClaimsWorkOverHTTP",
		"house:TestQuernHierarchyNestsElements",
		"house:TestQuernClearTextEmptiesFocusedField"
	return append(rows,
		works("tool take_screenshot", "house:TestQuernPictureHasRequestedFormat", session),
		works("pictures with boxes, in the format that was asked", "house:TestQuernPictureHasRequestedFormat"),

		works("three claims at once get three devices", "pool:TestConcurrentClaimsGetDistinctDevices"),
		works("a fourth claim at once is refused as claimed", "pool:TestConcurrentClaimsGetDistinctDevices",
			"house:TestRefusedClaimNamesTheHolder"),
		works("resolves of several sessions at once book nothing twice", "scripts:TestNoDoubleBooking"),
		works("a released device can be claimed at once", "pool:TestReleasedDeviceCanBeClaimedAgain"),
		works("a claim that is not used runs out", "pool:TestUnusedClaimExpires"),
		works("two sessions share the pool, and a release leaves the other's claim", pool+"/claim, resolve, release"),
		works("a hundred agents get devices without a double booking", "scripts:TestAHundredAgentsShareTenPhones"),
		works("claims outlive a killed server", "lease:TestLoadedLeaseWaitsForItsLock"),

		works("with one booted device and no other word, it is meant", "pool:TestNamedDeviceWorksWithBrokenLeases"),
		works("a listing that fails is told as the failure of a tool, not as a device that is missing",
			"house:TestFailedSimctlIsToolFailedFault"),
		works("a device that is known costs no listing", "pool:TestOpenDeviceIsResolvedWithoutListing"),
		works("a udid that is named goes past the pool's choice", "pool:TestResolveChoosesNamedOrBootedDevice"),
		works("the session's active device is used without a question to the pool", "house:TestDeviceNamedForOneCallIsNotKept",
			"house:TestAChosenDeviceThatIsShutDownIsKept"),
		departs("of several booted devices the best free one is taken by a call that names none", "a guessed device would get the next input; "+
			"resolve_device picks one", "docs/from-quern.md", "When several devices are booted and a call names none, quern took one"),

		works("claim, use and release over HTTP; another session resolves another device", pool+"/claim, resolve, release",
			"scripts:TestScripts/poolrest"),
		works("ensure_devices with a session claims all it returns", pool+"/ensure claims all"),
		works("resolve_device with auto_boot boots a device", "house:TestResolveClaimsForASessionOnly"),
		works("resolve_device that nothing fits is 404 and names what was asked", pool+"/what nothing fits is told by its name"),
		works("a boot that does not end is a fault that says so", "pool:TestBootTimeoutReleasesAndQuarantinesDevice"),
		works("resolve_device without a session claims nothing", "house:TestResolveClaimsForASessionOnly"),

		works("the guide has the path of every tool, and each is served", session),
		works("tap_element tells of element_type", "house:TestQuernDescriptionsNameKeyInputs"),
		works("os_version is described with and without iOS", "house:TestQuernDescriptionsNameKeyInputs"),
		works("os_version is taken with and without iOS", pool+"/a version is written with or without iOS"),
		works("the guide has the nine steps of device control, resolve_device first", session),
		works("the guide's tips: tap_element before tap, ensure_devices for parallel tests", session),
		works("a label that fits several elements is ambiguous, with a list of them", "house:TestAQuernRESTSession"),
		works("element_type narrows it", "house:TestQuernTypeNarrowsAmbiguousLabel"),
		works("identifier narrows it", "house:TestQuernTypeNarrowsAmbiguousLabel"),
		works("a label that fits nothing is told at once", "house:TestQuernReportsUnknownLabelAtOnce"),

		works("clear_text empties the focused field", clears),
		works("POST /ui/clear answers ok and the udid", clears),
		works("clear_text without a udid is about the active device", clears),
		works("no look after clear_text shows what was before", clears),
		works("a text typed after clear_text is all the field holds", clears),
		works("clear_text where nothing has the focus is an error", clears),
		works("a secure field is cleared too, which quern could not promise", clears),
		works("an error of a tool over MCP is a text that begins with Error and has isError", session),

		works("include_hierarchy nests the elements", hierarchy),
		works("include_hierarchy of the summary names what each element lies in", hierarchy, "ui:TestSummaryNamesTheContainers"),
		works("children_of an identifier gives what is below it, at any depth", hierarchy, "ui:TestFlatTreeListsChildrenOfMatch"),
		works("children_of a label takes it in any case", hierarchy, "ui:TestFlatTreeListsChildrenOfMatch"),
		works("children_of what is not there is empty", hierarchy),
		works("get_ui_tree has children_of", "house:TestQuernDescriptionsNameKeyInputs"),
		works("trees that idb describes are read, nested and flat; what cannot be read is told and ends nothing",
			"uiread:TestReadParsesEverySource",
			"uiread:TestDoubtfulReadingsHaveWarnings", "idb:TestRealTreesAreRead"),

		works("the key is taken as X-API-Key and as a bearer, and its lack is 401; health needs none", "house:TestAQuernRESTSession"),
		works("an input that breaks the schema is 422 with a list", "house:TestAQuernRESTSession"),
		works("value_equals takes an empty value", "house:TestQuernWaitsForAnEmptyValue"),
		works("LOCK, SIDE_BUTTON, SIRI and APPLE_PAY are pressed by idb", "house:TestButtonsThatXCTestLacksArePressedByIDB"),
		works("wait_for_flow takes recent finished requests alone", "house:TestWaitForFlowTakesOnlyRecentFinishedFlows"),
		works("the log is streamed as server-sent events", "house:TestQuernStreamSendsFilteredLines"),
		works("a build's output is read, and what is none is refused", "house:TestParseRefusesTextWithoutABuild",
			"quern:TestRowsMatchGoldenFiles/get_build_result"),
		works("an id that nothing has is 404", "house:TestQuernRefusesUnknownIDs"),
		works("a mock's content type is JSON unless a header says otherwise", "house:TestAMockKeepsItsContentTypeBesideOtherHeaders"),
		works("the session's log filter hides lines from it alone", "quern:TestLogFilterHidesExcludedEntries",
			"house:TestLogFilterAppliesToItsSession"),
		works("a cursor of the summary misses nothing", "quern:TestSummaryCursorMissesNoEntries"),
	)
}
