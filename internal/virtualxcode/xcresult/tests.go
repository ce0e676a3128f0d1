package xcresult

import "fmt"

// tests is: get test-results tests.
func tests(b Bundle, _ query) (any, error) {
	bundles := array{}
	for _, t := range b.Tests {
		bundles = append(bundles, b.bundleNode(t))
	}
	nodes := array{}
	if len(bundles) > 0 {
		nodes = array{object{"name": b.Scheme, "nodeType": "Test Plan", "result": b.Outcome(), "children": bundles}}
	}
	return object{"devices": array{b.Device.json()}, "testNodes": nodes, "testPlanConfigurations": array{configuration()}}, nil
}

func (t TestBundle) bundleType() string {
	if t.UI {
		return "UI test bundle"
	}
	return "Unit test bundle"
}

func (b Bundle) bundleNode(t TestBundle) object {
	children, results := array{}, []string{}
	for _, s := range t.Suites {
		cases := []string{}
		nodes := array{}
		for _, c := range s.Cases {
			cases = append(cases, c.Result)
			nodes = append(nodes, b.caseNode(place{t, s, c}))
		}
		results = append(results, cases...)
		if s.Name == "" {
			children = append(children, nodes...)
			continue
		}
		children = append(children, object{"name": s.title(), "nodeType": "Test Suite", "result": worst(cases...),
			"nodeIdentifierURL": b.url(t.Name, s.Name), "children": nodes})
	}
	return object{"name": t.Name, "nodeType": t.bundleType(), "result": worst(results...),
		"nodeIdentifierURL": b.url(t.Name), "children": children}
}

func (s Suite) title() string {
	if s.Display != "" {
		return s.Display
	}
	return s.Name
}

func (b Bundle) caseNode(c place) object {
	node := object{"name": c.title(), "nodeType": "Test Case", "nodeIdentifier": c.identifier(), "nodeIdentifierURL": b.caseURL(c),
		"result": c.Result, "duration": short(c.Duration), "durationInSeconds": c.Duration}
	if len(c.Tags) > 0 {
		node["tags"] = list(c.Tags, func(tag string) any { return tag })
	}
	if details := c.retried(); details != "" && len(c.Arguments) == 0 {
		node["details"] = details
	}
	if children := c.children(); len(children) > 0 {
		node["children"] = children
	}
	return node
}

// retried is the note about the retries of a failed test.
func (c Case) retried() string {
	if c.Result != Failed || len(c.Runs) < 2 {
		return ""
	}
	return "Failed after " + plural(len(c.Runs), "retry")
}

// children are the arguments of a test, its repetitions, and its failures.
func (c Case) children() array {
	inside := c.repetitions()
	if len(c.Runs) < 2 {
		inside = c.messages()
	}
	if len(c.Arguments) == 0 {
		return inside
	}
	nodes := array{}
	for i, argument := range c.Arguments {
		share := c.Duration / float64(len(c.Arguments))
		node := object{"name": argument, "nodeType": "Arguments", "result": c.Result, "duration": short(share), "durationInSeconds": share}
		if details := c.retried(); details != "" {
			node["details"] = details
		}
		if len(inside) > 0 && (i == 0 || len(c.Runs) > 1) {
			node["children"] = inside
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// repetitions are the runs of a test that was run more than once.
func (c Case) repetitions() array {
	nodes := array{}
	for i, run := range c.Runs {
		node := object{"name": run.Repetition, "nodeType": "Repetition", "nodeIdentifier": fmt.Sprint(i + 1), "result": run.Result,
			"duration": short(run.Duration)}
		if messages := run.messages(); len(messages) > 0 {
			node["children"] = messages
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func (c Case) messages() array {
	nodes := list(c.Failures, func(f Failure) any {
		return object{"name": f.text(), "nodeType": "Failure Message", "result": Failed}
	})
	if text := c.reason(); text != "" {
		nodes = append(nodes, object{"name": text, "nodeType": "Failure Message", "result": c.Result})
	}
	for _, w := range c.Warnings {
		nodes = append(nodes, object{"name": w, "nodeType": "Runtime Warning"})
	}
	return nodes
}

// reason is why a test was skipped, in the tool's words.
func (c Case) reason() string {
	if c.Result == Skipped && c.Reason != "" && !c.Swift {
		return "Test skipped - " + c.Reason
	}
	return c.Reason
}
