package xcresult

import (
	"fmt"
	"slices"
	"strings"
)

// logKinds are the logs of a bundle.
func (b Bundle) logKinds() (kinds []string) {
	if b.Build.Status != "notRequested" {
		kinds = append(kinds, "build")
	}
	if b.Tested {
		kinds = append(kinds, "action", "console")
	}
	return kinds
}

// getLog is: get log. A log is a tree of sections.
func getLog(b Bundle, q query) (any, error) {
	logs := map[string]func(Bundle) any{"build": Bundle.buildLog, "action": Bundle.actionLog, "console": Bundle.consoleLog}
	if q.kind == "" {
		return nil, usageError("Missing expected argument '--type <type>'")
	}
	if logs[q.kind] == nil {
		return nil, usageError(fmt.Sprintf("The value '%s' is invalid for '--type <type>'. Please provide one of 'build', 'action' "+
			"and 'console'.", q.kind))
	}
	if !slices.Contains(b.logKinds(), q.kind) {
		return nil, fmt.Errorf("no %s log in the result bundle", q.kind)
	}
	return logs[q.kind](b), nil
}

func (b Bundle) section(title, domain, result string, start, duration float64) object {
	return object{"title": title, "domainType": "com.apple.dt.IDE." + domain, "result": result, "startTime": start, "duration": duration}
}

// buildLog has a section for each target with diagnostics.
func (b Bundle) buildLog() any {
	top := b.section(b.Title, "BuildLogSection", b.Build.Status, b.Start, b.End-b.Start)
	targets := array{}
	for _, name := range b.Build.targets() {
		messages := array{}
		for _, i := range b.Build.Errors {
			messages = append(messages, i.message("error", name)...)
		}
		for _, i := range b.Build.Warnings {
			messages = append(messages, i.message("warning", name)...)
		}
		section := b.section("Build target "+name, "BuildLogSection", b.Build.Status, b.Start, 0)
		section["messages"] = messages
		targets = append(targets, section)
	}
	top["subsections"] = targets
	return top
}

func (b Build) targets() (names []string) {
	for _, i := range slices.Concat(b.Errors, b.Warnings) {
		if !slices.Contains(names, i.Target) {
			names = append(names, i.Target)
		}
	}
	return names
}

// message is a diagnostic of a target in a log.
func (i Issue) message(kind, target string) array {
	if i.Target != target {
		return nil
	}
	m := object{"title": capital(i.Message), "type": kind, "category": i.Type}
	if i.File != "" {
		m["location"] = object{"url": i.url()}
	}
	return array{m}
}

// actionLog has a section for each bundle, suite and test.
func (b Bundle) actionLog() any {
	top := b.section("Testing", "ActionLogSection", b.status(), b.Start, b.End-b.Start)
	bundles := array{}
	for _, t := range b.Tests {
		suites := array{}
		for _, s := range t.Suites {
			cases := list(s.Cases, func(c Case) any {
				section := b.section("Run test case "+strings.TrimSuffix(c.Name, "()"), "UnitTestLogSection", statuses[c.Result], c.Start,
					c.Duration)
				section["testDetails"] = object{"testName": c.Name, "suiteName": s.Name, "emittedOutput": c.output(t, s)}
				return section
			})
			suite := b.section("Run test suite "+s.Name, "UnitTestLogSection", b.status(), b.Start, 0)
			suite["subsections"] = cases
			suites = append(suites, suite)
		}
		section := b.section("Run test bundle "+t.Name, "UnitTestLogSection", b.status(), b.Start, 0)
		section["subsections"] = suites
		bundles = append(bundles, section)
	}
	top["subsections"] = bundles
	return top
}

// output is what a test printed.
func (c Case) output(t TestBundle, s Suite) string {
	id := fmt.Sprintf("-[%s.%s %s]", t.Name, s.Name, strings.SplitN(c.Name, "(", 2)[0])
	text := fmt.Sprintf("Test Case '%s' started.\n", id)
	for _, f := range c.Failures {
		text += fmt.Sprintf("%s:%d: error: %s : %s\n", f.File, f.Line, id, f.Message)
	}
	return text + fmt.Sprintf("Test Case '%s' %s (%.3f seconds).\n", id, strings.ToLower(c.Result), c.Duration)
}

// consoleLog is what the tests printed, item by item.
func (b Bundle) consoleLog() any {
	items := array{}
	for c := range b.cases() {
		items = append(items, object{"kind": "output", "content": c.output(c.bundle, c.suite), "timestamp": c.Start})
	}
	return object{"items": items}
}
