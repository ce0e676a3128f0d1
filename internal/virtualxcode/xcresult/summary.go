package xcresult

// configuration is the one test plan configuration there is.
func configuration() object {
	return object{"configurationId": "1", "configurationName": "Test Scheme Action"}
}

func (d Device) json() object {
	return object{"architecture": d.Architecture, "deviceId": d.ID, "deviceName": d.Name, "modelName": d.Model,
		"osBuildNumber": d.OSBuild, "osVersion": d.OS, "platform": d.Platform}
}

// summary is: get test-results summary.
func summary(b Bundle, _ query) (any, error) {
	n, runs := b.counts(false), b.counts(true)
	total := n[Passed] + n[Failed] + n[Skipped] + n[ExpectedFailure]
	failures := array{}
	number := 0
	for c := range b.cases() {
		number++
		for _, f := range c.Failures {
			failures = append(failures, object{"failureText": f.Message, "targetName": c.bundle.Name, "testIdentifier": number,
				"testIdentifierString": c.identifier(), "testIdentifierURL": b.caseURL(c), "testName": c.title()})
		}
	}
	return object{
		"devicesAndConfigurations": array{object{"device": b.Device.json(), "testPlanConfiguration": configuration(),
			"expectedFailures": runs[ExpectedFailure], "failedTests": runs[Failed], "passedTests": runs[Passed], "skippedTests": runs[Skipped]}},
		"environmentDescription": b.Scheme + " · Built with macOS 15.5",
		"expectedFailures":       n[ExpectedFailure],
		"failedTests":            n[Failed],
		"finishTime":             b.End,
		"passedTests":            n[Passed],
		"result":                 b.Outcome(),
		"skippedTests":           n[Skipped],
		"startTime":              b.Start,
		"statistics":             b.statistics(),
		"testFailures":           failures,
		"title":                  "Test - " + b.Scheme,
		"topInsights":            array{},
		"totalTestCount":         total,
	}, nil
}

// statistics counts the tests with arguments.
func (b Bundle) statistics() array {
	tests, runs := 0, 0
	for c := range b.cases() {
		if len(c.Arguments) > 0 {
			tests, runs = tests+1, runs+len(c.Arguments)
		}
	}
	if tests == 0 {
		return array{}
	}
	return array{object{"title": plural(tests, "test") + " ran with dynamic parameters", "subtitle": plural(runs, "test run")}}
}

// insights is: get test-results insights.
func insights(Bundle, query) (any, error) {
	return object{"commonFailureInsights": array{}, "failureDistributionInsights": array{}, "longestTestRunsInsights": array{}}, nil
}
