package xcodebuild

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
)

// plans are the names of the scheme's test plans; a scheme without one has the plan that Xcode generates.
func (s *session) plans() (names []string) {
	for _, reference := range s.scheme.Plans {
		_, file, _ := strings.Cut(reference, ":")
		names = append(names, strings.TrimSuffix(path.Base(file), ".xctestplan"))
	}
	if len(names) == 0 {
		names = []string{s.scheme.Name}
	}
	return names
}

// plan is the test plan that is run.
func (s *session) plan() string {
	if s.testPlan != "" {
		return s.testPlan
	}
	return s.plans()[0]
}

// checkPlan refuses an unknown test plan.
func (s *session) checkPlan() error {
	if s.testPlan == "" || slices.Contains(s.plans(), s.testPlan) {
		return nil
	}
	return refuse(exitFailed, "Scheme %q does not have an associated test plan named %q. Use -showTestPlans to see the test plans "+
		"of a scheme.", s.scheme.Name, s.testPlan)
}

func (s *session) showTestPlans(context.Context) error {
	s.invocation()
	if err := s.openAndChoose(); err != nil {
		return err
	}
	if s.scheme.Name == "" {
		return refuse(exitFailed, "The -showTestPlans option requires a scheme. Use -list to see the schemes in this project.")
	}
	if s.asked["-json"] {
		all := []any{}
		for _, name := range s.plans() {
			all = append(all, map[string]any{"name": name})
		}
		fmt.Fprint(s.Stdout, applejson.Style{PlainSlashes: true}.Encode(map[string]any{"testPlans": all}))
		return nil
	}
	fmt.Fprintf(s.Stdout, "Test plans associated with the scheme %q:\n        %s\n", s.scheme.Name, strings.Join(s.plans(), "\n        "))
	return nil
}

// The styles and formats of a list of tests.
var enumerations = map[string]func(*session, []testProduct) any{
	"": (*session).testTree, "hierarchical": (*session).testTree, "flat": (*session).testList,
}

// enumerate prints the tests instead of running them.
func (s *session) enumerate(all []testProduct) error {
	style, known := enumerations[s.enumStyle]
	if !known || !slices.Contains([]string{"", "text", "json"}, s.enumFormat) {
		return usage("option '-test-enumeration-style' takes hierarchical or flat, '-test-enumeration-format' text or json")
	}
	value := style(s, all)
	text := enumerationText(value, 0)
	if s.enumFormat == "json" {
		text = applejson.Style{PlainSlashes: true}.Encode(map[string]any{"errors": []any{}, "values": []any{value}})
	}
	if s.enumPath != "" && s.enumPath != "-" {
		return write(s.abs(s.enumPath), []byte(text), 0o644)
	}
	fmt.Fprint(s.Stdout, text)
	return nil
}

// testList is every test by its identifier; excluded tests are disabled.
func (s *session) testList(all []testProduct) any {
	enabled, disabled := []any{}, []any{}
	for _, p := range all {
		chosen := s.selected(p)
		for _, t := range p.Tests {
			entry := map[string]any{"identifier": t.id(p.Target)}
			if slices.ContainsFunc(chosen, func(c testCase) bool { return c.id(p.Target) == t.id(p.Target) }) {
				enabled = append(enabled, entry)
			} else {
				disabled = append(disabled, entry)
			}
		}
	}
	return map[string]any{"testPlan": s.plan(), "enabledTests": enabled, "disabledTests": disabled}
}

func (s *session) testTree(all []testProduct) any {
	targets := []any{}
	for _, p := range all {
		classes := []any{}
		for _, swift := range []bool{false, true} {
			for _, group := range suites(s.selected(p), swift) {
				tests := []any{}
				for _, t := range group {
					tests = append(tests, node("test", t.Name, nil))
				}
				if group[0].Suite == "" {
					classes = append(classes, tests...)
					continue
				}
				classes = append(classes, node("class", group[0].Suite, tests))
			}
		}
		targets = append(targets, node("target", p.Target, classes))
	}
	return node("plan", s.plan(), targets)
}

func node(kind, name string, children []any) map[string]any {
	n := map[string]any{"kind": kind, "name": name, "disabled": false}
	if children != nil {
		n["children"] = children
	}
	return n
}

// enumerationText is a list or a tree of tests as text.
func enumerationText(v any, depth int) string {
	o := v.(map[string]any)
	if enabled, flat := o["enabledTests"].([]any); flat {
		text := fmt.Sprintf("Plan %s\n", o["testPlan"])
		for _, e := range enabled {
			text += fmt.Sprintf("\t%s\n", e.(map[string]any)["identifier"])
		}
		return text
	}
	text := fmt.Sprintf("%s%s %s\n", strings.Repeat("\t", depth), capital(o["kind"].(string)), o["name"])
	children, _ := o["children"].([]any)
	for _, c := range children {
		text += enumerationText(c, depth+1)
	}
	return text
}
