package xcresult

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

func (t TestBundle) testKind() string {
	if t.UI {
		return "UI"
	}
	return "app hosted"
}

// statuses are the results of tests in the older commands.
var statuses = map[string]string{Passed: "Success", Failed: "Failure", Skipped: "Skipped", ExpectedFailure: "Expected Failure"}

func (b Bundle) testPlans() object {
	testables := list(b.Tests, func(t TestBundle) any {
		return typed("ActionTestableSummary", object{
			"name": t.Name, "targetName": t.Name, "identifierURL": b.url(t.Name), "testKind": t.testKind(), "testLanguage": "",
			"testRegion":               "",
			"diagnosticsDirectoryName": t.Name + "-Configuration-Test Scheme Action-Iteration-1",
			"tests":                    array{b.group("All tests", "All tests", t.Name, b.suites(t))},
		})
	})
	plan := typed("ActionTestPlanRunSummary", object{"name": "Test Scheme Action", "testableSummaries": testables})
	return typed("ActionTestPlanRunSummaries", object{"summaries": array{plan}})
}

func (b Bundle) suites(t TestBundle) array {
	bundle := array{}
	for _, s := range t.Suites {
		cases := list(s.Cases, func(c Case) any { return b.testMetadata(place{t, s, c}) })
		if s.Name == "" {
			bundle = append(bundle, cases...)
			continue
		}
		bundle = append(bundle, b.group(s.Name, s.Name, t.Name, cases))
	}
	return array{b.group(t.Name+".xctest", t.Name+".xctest", t.Name, bundle)}
}

func (b Bundle) group(name, identifier, target string, subtests array) object {
	total := 0.0
	for _, o := range subtests {
		total += duration(o)
	}
	return typed("ActionTestSummaryGroup", object{"name": name, "identifier": identifier, "identifierURL": b.url(target, identifier),
		"duration": total, "subtests": subtests})
}

// duration is the wrapped duration of a test or group, kept as a number for sums.
func duration(o any) float64 {
	member, _ := o.(object)["duration"].(object)
	text, _ := member["_value"].(string)
	return parseSeconds(text)
}

func (b Bundle) testMetadata(c place) object {
	return typed("ActionTestMetadata", object{"name": c.Name, "identifier": c.identifier(), "identifierURL": b.caseURL(c),
		"duration":   c.Duration,
		"testStatus": statuses[c.Result], "summaryRef": b.reference(b.caseURL(c), "ActionTestSummary")})
}

func (b Bundle) testSummary(c place) object {
	failures := list(c.Failures, func(f Failure) any {
		return typed("ActionTestFailureSummary", object{"message": f.Message, "fileName": f.File, "lineNumber": f.Line,
			"issueType": "Assertion Failure", "isTopLevelFailure": true, "isPerformanceFailure": false,
			"sourceCodeContext": typed("SourceCodeContext",
				object{"location": typed("SourceCodeLocation", object{"filePath": f.File, "lineNumber": f.Line})})})
	})
	members := object{"name": c.Name, "identifier": c.identifier(), "identifierURL": b.caseURL(c), "duration": c.Duration,
		"testStatus": statuses[c.Result], "failureSummaries": failures, "activitySummaries": activitySummaries(c.Activities)}
	if n := len(c.Runs); n > 1 {
		members["repetitionPolicySummary"] = typed("ActionTestRepetitionPolicySummary", object{"iteration": n, "totalIterations": n,
			"repetitionMode": "Retry on Failure"})
	}
	if c.Result == Skipped {
		members["skipNoticeSummary"] = typed("ActionTestNoticeSummary", object{"message": c.reason()})
	}
	return typed("ActionTestSummary", members)
}

func activitySummaries(all []Activity) array {
	return list(all, func(a Activity) any {
		return typed("ActionTestActivitySummary", object{"title": a.Title, "activityType": "com.apple.dt.xctest.activity-type.internal",
			"start": date(a.Start), "finish": date(a.Start), "uuid": activityID(a), "subactivities": activitySummaries(a.Children)})
	})
}

// activityID is a fixed UUID for a step.
func activityID(a Activity) string {
	sum := sha256.Sum256(fmt.Append(nil, a.Title, "\x00", a.Start))
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}
