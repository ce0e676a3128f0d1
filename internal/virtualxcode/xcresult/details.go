package xcresult

import (
	"fmt"
	"strings"
)

// find is the test a query names: Suite/test() with or without the target, or its URL.
func (b Bundle) find(q query) (place, error) {
	for c := range b.cases() {
		id := c.identifier()
		for _, name := range []string{id, strings.TrimSuffix(id, "()"), c.bundle.Name + "/" + id, b.caseURL(c)} {
			if q.testID == name {
				return c, nil
			}
		}
	}
	return place{}, fmt.Errorf("Test with id '%s' was not found.", q.testID) //lint:ignore ST1005 as the real tool says it
}

// details is: get test-results test-details.
func details(b Bundle, q query) (any, error) {
	c, err := b.find(q)
	if err != nil {
		return nil, err
	}
	return object{
		"devices":                array{b.Device.json()},
		"duration":               "Ran for " + long(c.Duration),
		"durationInSeconds":      c.Duration,
		"hasMediaAttachments":    false,
		"hasPerformanceMetrics":  false,
		"startTime":              c.Start,
		"testDescription":        "Test case with " + plural(max(1, len(c.Arguments)), "run"),
		"testIdentifier":         c.identifier(),
		"testIdentifierURL":      b.caseURL(c),
		"testName":               c.title(),
		"testPlanConfigurations": array{configuration()},
		"testResult":             c.Result,
		"testRuns":               array{b.deviceRun(c)},
	}, nil
}

// deviceRun is the run of a test as a tree: device, configuration, what happened.
func (b Bundle) deviceRun(c place) object {
	plan := object{"name": "Test Scheme Action", "nodeIdentifier": "1", "nodeType": "Test Plan Configuration",
		"result": c.Result, "duration": short(c.Duration), "durationInSeconds": c.Duration}
	if children := c.runs(); len(children) > 0 {
		plan["children"] = children
	}
	return object{"name": b.Device.Name, "nodeIdentifier": b.Device.ID, "nodeType": "Device", "details": b.Device.Platform + " " + b.Device.OS,
		"result": c.Result, "duration": short(c.Duration), "durationInSeconds": c.Duration, "children": array{plan}}
}

// runs says here, unlike in the list of tests, that a skipped test was a run.
func (c Case) runs() array {
	if c.Result != Skipped {
		return c.children()
	}
	if c.reason() == "" {
		return nil
	}
	return array{object{"name": c.reason(), "nodeType": "Test Case Run", "result": Skipped}}
}

// activities is: get test-results activities.
func activities(b Bundle, q query) (any, error) {
	c, err := b.find(q)
	if err != nil {
		return nil, err
	}
	runs := array{}
	for i := range max(1, len(c.Arguments)) {
		run := object{"activities": activityNodes(c.Activities), "device": b.Device.json(), "testPlanConfiguration": configuration()}
		if i < len(c.Arguments) {
			run["arguments"] = array{object{"value": c.Arguments[i]}}
		}
		runs = append(runs, run)
	}
	return object{"testIdentifier": strings.TrimSuffix(c.identifier(), "()"), "testIdentifierURL": b.caseURL(c), "testName": c.title(), "testRuns": runs}, nil
}

func activityNodes(all []Activity) array {
	return list(all, func(a Activity) any {
		node := object{"title": a.Title, "startTime": a.Start, "isAssociatedWithFailure": strings.HasPrefix(a.Title, "Assertion Failure")}
		if len(a.Children) > 0 {
			node["childActivities"] = activityNodes(a.Children)
		}
		return node
	})
}
