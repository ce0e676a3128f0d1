package reference_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/reference"
)

type udid struct {
	UDID string `json:"udid,omitempty" doc:"the device"`
}

// with is a catalogue of operations that have these names and nothing else.
func with(names ...string) *op.Catalogue {
	var all []op.Op
	for _, name := range names {
		spec := op.Spec{Name: name, Groups: []string{"test"}, Summary: "Be there", Route: "POST /api/v1/" + name}
		all = append(all, op.New(spec, func(context.Context, *op.Call, udid) (struct{}, error) { return struct{}{}, nil }))
	}
	return op.NewCatalogue(all, op.Options{})
}

var quoted = regexp.MustCompile("`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`")

// words are the guides without the codes: hints are the fault table's words, the same for every catalogue.
func words(c *op.Catalogue) string {
	text, _, _ := strings.Cut(reference.Troubleshooting(c), "## All fault codes")
	return text + reference.Guide(c)
}

// TestGuidesNameOnlyExistingOperations holds every name with an underscore against the catalogue's operations and inputs.
func TestGuidesNameOnlyExistingOperations(t *testing.T) {
	some := with("tap_element", "resolve_device", "snapshot")
	for _, c := range []struct {
		catalogue *op.Catalogue
		text      string
	}{
		{product.Catalogue(), words(product.Catalogue()) + reference.Troubleshooting(product.Catalogue())},
		{with(), words(with())},
		{some, words(some)},
	} {
		known := names(c.catalogue)
		for _, m := range quoted.FindAllStringSubmatch(c.text, -1) {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s is named but does not exist; there are %d operations", m[1], len(c.catalogue.Ops()))
			}
		}
	}
}

// names are a catalogue's operations and their inputs.
func names(c *op.Catalogue) (known []string) {
	for _, o := range c.Ops() {
		known = append(known, o.Name)
		for _, f := range o.Fields() {
			known = append(known, f.Name)
		}
	}
	return known
}

// TestGuideOfEmptyCatalogueNamesNoTool catches the names without an underscore: with no operations, none may be said.
func TestGuideOfEmptyCatalogueNamesNoTool(t *testing.T) {
	text := words(with())
	for _, name := range []string{"snapshot", "tap", "doctor"} {
		if strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s does not exist but is named:\n%s", name, text)
		}
	}
	if strings.ContainsAny(text, "{}") {
		t.Errorf("a name was left in braces:\n%s", text)
	}
}

var step = regexp.MustCompile("(?m)^[0-9]\\. `([a-z_]+)`(?:, then `([a-z_]+)`)?")

func TestGuideWorkflowKeepsStepOrder(t *testing.T) {
	all := []string{
		"resolve_device", "boot_device", "install_app", "launch_app", "get_screen_summary", "take_screenshot", "tap_element",
		"type_text", "clear_text",
	}
	for _, c := range []struct{ names, want []string }{
		{all, append(slices.Clone(all), "get_screen_summary")},
		{
			[]string{"list_devices", "boot_device", "install_app", "launch_app", "snapshot", "take_screenshot", "tap_element", "type_text"},
			[]string{"list_devices", "boot_device", "install_app", "launch_app", "snapshot", "take_screenshot", "tap_element", "type_text",
				"snapshot"},
		},
	} {
		var got []string
		for _, m := range step.FindAllStringSubmatch(reference.Guide(with(c.names...)), -1) {
			got = append(got, m[1])
			if m[2] != "" {
				got = append(got, m[2])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("the steps are %v, not %v", got, c.want)
		}
	}
}

func TestGuideIsSmallAndCountsOmittedRoutes(t *testing.T) {
	if n := len(reference.Guide(product.Catalogue())); n > reference.GuideLimit {
		t.Errorf("the guide has %d bytes", n)
	}
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("operation_%d", i))
	}
	guide := reference.Guide(with(names...))
	if len(guide) > reference.GuideLimit || !strings.Contains(guide, "200 more routes") {
		t.Errorf("%d bytes:\n%s", len(guide), guide)
	}
	if n := strings.Count(reference.Routes(with(names...)), "| POST |"); n != 200 {
		t.Errorf("%d routes of 200", n)
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	text, faults := reference.Troubleshooting(product.Catalogue()), reference.Pages(product.Catalogue())["faults.md"]
	for _, c := range fault.Codes() {
		if !strings.Contains(text, "| "+string(c)+" |") || !strings.Contains(text, c.Hint()) {
			t.Errorf("troubleshooting does not explain %s", c)
		}
		if !strings.Contains(faults, fmt.Sprintf("| `%s` | %d | %d | %s |", c, c.Status(), c.Exit(), c.Hint())) {
			t.Errorf("faults.md does not list %s", c)
		}
	}
}
