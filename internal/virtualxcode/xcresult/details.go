package xcresult

import (
	"fmt"
	"slices"
	"strings"
)

// find finds the test of a query: Suite/test() with or without the target, or its URL.
func (b Bundle) find(q query) (place, error) {
	for c := range b.cases() {
		if b.names(c, q.testID) {
			return c, nil
		}
	}
	return place{}, notFound(q)
}

func notFound(q query) error {
	return fmt.Errorf("Test with id '%s' was not found.", q.testID) //lint:ignore ST1005 as the real tool says it
}

// names reports whether an id names the test.
func (b Bundle) names(c place, id string) bool {
	full := c.identifier()
	return slices.Contains([]string{full, strings.TrimSuffix(full, "()"), c.bundle.Name + "/" + full, b.caseURL(c)}, id)
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
		"hasMediaAttachments":    len(c.Attachments) > 0,
		"hasPerformanceMetrics":  len(c.Measures) > 0,
		"startTime":              c.Start,
		"testDescription":        "Test case with " + plural(max(1, len(c.Arguments), len(c.Runs)), "run"),
		"testIdentifier":         c.identifier(),
		"testIdentifierURL":      b.caseURL(c),
		"testName":               c.title(),
		"testPlanConfigurations": array{configuration()},
		"testResult":             c.Result,
		"testRuns":               array{b.deviceRun(c)},
	}, nil
}

// deviceRun is the run of a test as a tree: device, configuration, results.
func (b Bundle) deviceRun(c place) object {
	plan := object{"name": "Test Scheme Action", "nodeIdentifier": "1", "nodeType": "Test Plan Configuration",
		"result": c.Result, "duration": short(c.Duration), "durationInSeconds": c.Duration}
	if children := c.runs(); len(children) > 0 {
		plan["children"] = children
	}
	return object{"name": b.Device.Name, "nodeIdentifier": b.Device.ID, "nodeType": "Device", "details": b.Device.Platform +
		" " + b.Device.OS,
		"result": c.Result, "duration": short(c.Duration), "durationInSeconds": c.Duration, "children": array{plan}}
}

// runs counts a skipped test as a run, unlike the list of tests.
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
		run := object{"activities": b.activitiesOf(c), "device": b.Device.json(), "testPlanConfiguration": configuration()}
		if i < len(c.Arguments) {
			run["arguments"] = array{object{"value": c.Arguments[i]}}
		}
		runs = append(runs, run)
	}
	return object{"testIdentifier": strings.TrimSuffix(c.identifier(), "()"), "testIdentifierURL": b.caseURL(c), "testName": c.title(),
		"testRuns": runs}, nil
}

// activitiesOf are the steps of a test; its attachments are below a step of their own.
func (b Bundle) activitiesOf(c place) array {
	nodes := activityNodes(c.Activities)
	for i, name := range c.Attachments {
		nodes = append(nodes, object{"title": "Added attachment named '" + name + "'", "startTime": c.Start,
			"isAssociatedWithFailure": false,
			"attachments":             array{b.attachment(c, i).json()}})
	}
	return nodes
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
