package xcresult

import (
	"fmt"
	"math"
	"slices"
)

// configuration is the only test plan configuration.
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
			"expectedFailures": runs[ExpectedFailure], "failedTests": runs[Failed], "passedTests": runs[Passed],
			"skippedTests": runs[Skipped]}},
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
		"topInsights":            b.topInsights(),
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

// outliers are the tests that took longer than three standard deviations above the mean, and that mean.
func (b Bundle) outliers() (slow []place, limit, mean float64) {
	var all []place
	for c := range b.cases() {
		all = append(all, c)
		mean += c.Duration
	}
	if len(all) == 0 {
		return nil, 0, 0
	}
	mean /= float64(len(all))
	variance := 0.0
	for _, c := range all {
		variance += (c.Duration - mean) * (c.Duration - mean) / float64(len(all))
	}
	limit = mean + 3*math.Sqrt(variance)
	return slices.DeleteFunc(all, func(c place) bool { return c.Duration <= limit }), limit, mean
}

// impact is the share of some tests in the time of all tests.
func (b Bundle) impact(slow []place) string {
	total, part := 0.0, 0.0
	for c := range b.cases() {
		total += c.Duration
	}
	for _, c := range slow {
		part += c.Duration
	}
	return fmt.Sprintf("%.0f%% of duration", 100*part/total)
}

const longest = "Longest Test Runs"

func (b Bundle) topInsights() array {
	slow, limit, _ := b.outliers()
	if len(slow) == 0 {
		return array{}
	}
	return array{object{"category": longest, "impact": b.impact(slow), "text": slowText(slow, limit)}}
}

func slowText(slow []place, limit float64) string {
	return fmt.Sprintf("%s with outlier durations exceeding %ss (three standard deviations)",
		plural(len(slow), "longest test run"), digits(limit))
}

// insights is: get test-results insights; it reports only the longest tests.
func insights(b Bundle, _ query) (any, error) {
	found := array{}
	if slow, limit, mean := b.outliers(); len(slow) > 0 {
		total := 0.0
		for _, c := range slow {
			total += c.Duration
		}
		found = array{object{"title": slowText(slow, limit), "impact": b.impact(slow), "associatedTestIdentifiers": list(slow,
			func(c place) any {
				return c.identifier()
			}),
			"targetName": slow[0].bundle.Name, "testPlanConfigurationName": "Test Scheme Action", "deviceName": b.Device.Name,
			"osNameAndVersion":    b.Device.Platform + " " + b.Device.OS,
			"durationOfSlowTests": total, "meanTime": digits(mean) + "s"}}
	}
	return object{"commonFailureInsights": array{}, "failureDistributionInsights": array{}, "longestTestRunsInsights": found}, nil
}
