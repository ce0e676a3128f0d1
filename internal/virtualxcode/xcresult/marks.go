package xcresult

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of xcresulttool and xccov, with their sources.
func Marks() []mark.Mark {
	var all []mark.Mark
	add := func(tool, source, behaviour string) {
		all = append(all, mark.Mark{Tool: tool, Behaviour: behaviour, Source: source})
	}
	const tool = "xcresulttool"
	add(tool, mark.Observed("xcresult/xcresulttool-summary-2.json"), "get test-results summary: keys and types; a failure carries its "+
		"test's number; devices count each argument as a run")
	add(tool, mark.Observed("xcresult/xcresulttool-tests-1.json"), "get test-results tests: plan, bundle, suite, case; URLs without "+
		"parentheses; an empty line in what is empty")
	add(tool, mark.Observed("xcresult/xcresulttool-tests-failed-expected-skipped.json"),
		"failures as \"file:line: text\" below the case; the reason of a skipped or expectedly failing test is a Failure Message too")
	add(tool, mark.Observed("xcresult/trainer-xcode16-mixed.json"), "Swift Testing: display names, Arguments below a case, results on "+
		"Failure Messages")
	add(tool, mark.Observed("xcresult/xcresulttool-test-details-skipped.json"), "get test-results test-details: device, configuration, "+
		"and a Test Case Run for a skipped test; durations with two digits")
	add(tool, mark.Observed("xcresult/xcresulttool-activities-testLaunch.json"), "get test-results activities: nested titles with "+
		"start times; the identifier has no parentheses")
	add(tool, mark.Observed("xcresult/xcresulttool-kickstarter-summary.json"), "topInsights: the tests that took longer than three "+
		"standard deviations above the mean, and their share of the time")
	add(tool, mark.Observed("xcresult/xcresulttool-insights-empty.json"), "get test-results insights: three lists; only the longest "+
		"tests are reported, with assumed keys")
	add(tool, mark.Observed("xcresult/xcresulttool-metrics.json"), "get test-results metrics: keys and limits; only time is measured")
	add(tool, mark.Observed("xcresult/trainer-xcode16-mixed.json"), "repeated tests: Repetition below a case or its Arguments, "+
		"\"Failed after 2 retries\"; tags of Swift Testing")
	add(tool, mark.Observed("xcresult/xcresulttool-kickstarter-tests.json"), "a Runtime Warning below a test that passed")
	add(tool, mark.Observed("xcresult/build-results-neoxcd.json"), "get build-results: keys; places as URL fragments that count from "+
		"zero; messages begin with a capital")
	add(tool, mark.Observed("xcresult/legacy-tuist-invocation.json"), "get object --legacy: the invocation record, every value in its "+
		"type, slashes escaped")
	add(tool, mark.Observed("xcresult/legacy-marathon-testplan.json"), "get object --legacy --id: test plan summaries and a test's summary")
	add(tool, mark.Assumed, "get object, or get, without --legacy is refused with exit 64 (google/xctestrunner#65); the text of "+
		"version; unknown tests and unreadable bundles exit 1")
	add(tool, mark.Assumed, "durations have a decimal point, as in an English locale; keys are sorted, where the real tool has no order")
	add(tool, mark.Assumed, "get content-availability, get log, export attachments, metrics, diagnostics and object, compare, merge: "+
		"keys as public readers expect them; an attachment has a name and almost no contents")
	add("xccov", mark.Assumed, "view --report [--json], --only-targets, --files-for-target, --functions-for-file, --file-list, --file, "+
		"diff --json: keys and tables as public readers expect them; JSON on one line; subranges are never reported")
	return all
}
