package house_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// texts are the values of a key in a list of objects.
func texts(list any, key string) (all []string) {
	objects, _ := list.([]any)
	for _, one := range objects {
		object, _ := one.(map[string]any)
		text, _ := object[key].(string)
		all = append(all, text)
	}
	return all
}

// TestQuernClaimsWorkOverHTTP is the life of claims as quern's clients write it.
func TestQuernClaimsWorkOverHTTP(t *testing.T) {
	t.Parallel()
	const pool = "/api/v1/devices/"
	t.Run("claim, resolve, release", func(t *testing.T) {
		q := quernREST{house.New(t), t}
		q.ask(http.StatusOK, "POST", pool+"ensure", in{"count": 2, "name": "iPhone", "session_id": "setup"})
		q.ask(http.StatusOK, "POST", pool+"cleanup", nil)
		claim := q.ask(http.StatusOK, "POST", pool+"claim", in{"session_id": "one", "name": "iPhone 16"})
		device, _ := claim["device"].(map[string]any)
		got := q.ask(http.StatusOK, "POST", pool+"resolve", in{"name": "iPhone", "session_id": "two", "auto_boot": true})
		if got["udid"] == device["udid"] || device["claimed_by"] != "one" {
			t.Errorf("got %v for two after %v", got["udid"], device)
		}
		q.ask(http.StatusOK, "POST", pool+"release", in{"udid": device["udid"], "session_id": "one"})
		wants(t, q.ask(http.StatusOK, "POST", pool+"claim", in{"udid": device["udid"], "session_id": "three"}),
			in{"device.claimed_by": "three"})
		if two := q.ask(http.StatusOK, "GET", pool+"pool?claimed=claimed", nil); !slices.Contains(texts(two["devices"], "claimed_by"), "two") {
			t.Errorf("after one released: got %v, want that two has its device still", two["devices"])
		}
	})
	t.Run("ensure claims all", func(t *testing.T) {
		q := quernREST{house.New(t), t}
		got := texts(q.ask(http.StatusOK, "POST", pool+"ensure", in{"count": 2, "name": "iPhone", "session_id": "bulk"})["devices"], "udid")
		claimed := texts(q.ask(http.StatusOK, "GET", pool+"pool?claimed=claimed", nil)["devices"], "udid")
		for _, udid := range got {
			if !slices.Contains(claimed, udid) {
				t.Errorf("%s is not among the claimed %v", udid, claimed)
			}
		}
		if len(got) != 2 {
			t.Errorf("got %d devices, want 2", len(got))
		}
	})
	t.Run("a version is written with or without iOS", func(t *testing.T) {
		h := house.New(t)
		q := quernREST{h, t}
		const version = "18.5"
		for _, text := range []string{version, "iOS " + version} {
			found := q.ask(http.StatusOK, "POST", pool+"resolve", in{"os_version": text, "auto_boot": true})
			if got, _ := found["os_version"].(string); strings.TrimPrefix(got, "iOS ") != version {
				t.Errorf("%s: got %v", text, got)
			}
		}
	})
	t.Run("what nothing fits is told by its name", func(t *testing.T) {
		q := quernREST{house.New(t), t}
		detail, _ := q.ask(http.StatusNotFound, "POST", pool+"resolve", in{"name": "iPad Ultra"})["detail"].(string)
		if !strings.Contains(detail, "iPad Ultra") {
			t.Errorf("got %q", detail)
		}
	})
}

// TestQuernHierarchyNestsElements: a screen with what lies in what, and the part of it below one element.
func TestQuernHierarchyNestsElements(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	h.Boot("quern-client", drivertest.Conformance)
	all := q.ask(http.StatusOK, "GET", "/api/v1/device/ui?include_hierarchy=true", nil)
	root, _ := all["elements"].([]any)
	first, _ := root[0].(map[string]any)
	if children, _ := first["children"].([]any); len(root) != 1 || len(children) == 0 {
		t.Errorf("with include_hierarchy: got %d roots and %d children of the first, want one tree", len(root), len(children))
	}
	flat := q.ask(http.StatusOK, "GET", "/api/v1/device/ui", nil)
	labels := texts(flat["elements"], "label")
	table := ""
	elements, _ := flat["elements"].([]any)
	for _, e := range elements {
		one, _ := e.(map[string]any)
		if id, _ := one["identifier"].(string); id != "" && one["type"] == "NavigationBar" {
			table = id
		}
	}
	for _, name := range []string{table, "tAB%20bar"} { // an identifier, and a label in any case
		below := texts(q.ask(http.StatusOK, "GET", "/api/v1/device/ui?children_of="+name, nil)["elements"], "label")
		if len(below) == 0 || len(below) >= len(labels) {
			t.Errorf("children_of %q: got %d of %d elements", name, len(below), len(labels))
		}
	}
	if none := q.ask(http.StatusOK, "GET", "/api/v1/device/ui?children_of=Nowhere", nil)["elements"]; len(texts(none, "label")) != 0 {
		t.Errorf("children_of an element that is not there: got %v, want none", none)
	}
	summary, _ := q.ask(http.StatusOK, "GET", "/api/v1/device/screen-summary?include_hierarchy=true", nil)["summary"].(string)
	plain, _ := q.ask(http.StatusOK, "GET", "/api/v1/device/screen-summary", nil)["summary"].(string)
	if !strings.Contains(summary, "inside: ") || strings.Contains(plain, "inside: ") {
		t.Errorf("got the summaries\n%s\nand\n%s\nwant what each element lies in, in the first alone", summary, plain)
	}
}

// TestQuernClearTextEmptiesFocusedField: the focused field is empty after it, the next look shows that, and what is typed then is all it
// holds.
func TestQuernClearTextEmptiesFocusedField(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	udid := h.Boot("quern-client", drivertest.Conformance)
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", in{"label": "Text Input"})
	q.ask(http.StatusInternalServerError, "POST", "/api/v1/device/ui/clear", in{}) // nothing has the focus
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", in{"identifier": "text-username-field"})
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/type", in{"text": "before"})
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/clear", in{}), in{"status": "ok", "udid": udid})
	const field = "/api/v1/device/ui/element?identifier=text-username-field"
	element, _ := q.ask(http.StatusOK, "GET", field, nil)["element"].(map[string]any)
	if value, _ := element["value"].(string); value == "before" {
		t.Errorf("after clear_text the next look shows %v", element)
	}
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/type", in{"text": "after"})
	wants(t, q.ask(http.StatusOK, "GET", field, nil), in{"element.value": "after"})
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", in{"identifier": "text-password-field"})
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/type", in{"text": "hunter2"})
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/clear", in{}), in{"status": "ok", "outcome": "changed"})
}

// TestQuernTypeNarrowsAmbiguousLabel: an ambiguous label is narrowed by the type and by the identifier, as the description says.
func TestQuernTypeNarrowsAmbiguousLabel(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	h.Boot("quern-client", "com.iosagent.shop")
	const tap = "/api/v1/device/ui/tap-element"
	several := q.ask(http.StatusOK, "POST", tap, in{"label": "Email"})
	if several["status"] != "ok" && several["status"] != "ambiguous" {
		t.Errorf("got %v", several)
	}
	wants(t, q.ask(http.StatusOK, "POST", tap, in{"label": "Email", "element_type": "TextField"}), in{"tapped.type": "TextField"})
	wants(t, q.ask(http.StatusOK, "POST", tap, in{"identifier": "email-field"}), in{"tapped.identifier": "email-field"})
	q.ask(http.StatusNotFound, "POST", tap, in{"label": "Email", "element_type": "Slider"})
}

// TestQuernDescriptionsNameKeyInputs: what quern's agents were told in the descriptions of its tools is told here.
func TestQuernDescriptionsNameKeyInputs(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	listed, err := h.MCP("quern-agent", product.Serving{Tools: "quern"}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{
		"tap_element": "element_type", "resolve_device": "iOS 18.2", "ensure_devices": "iOS 18.2",
		"get_ui_tree": "children_of", "get_screen_summary": "include_hierarchy",
	} {
		i := slices.IndexFunc(listed.Tools, func(one *sdk.Tool) bool { return one.Name == tool })
		if i < 0 {
			t.Errorf("there is no %s", tool)
			continue
		}
		raw, err := json.Marshal(listed.Tools[i])
		if err != nil || !strings.Contains(strings.ToLower(string(raw)), strings.ToLower(want)) {
			t.Errorf("%s does not tell of %q: %s", tool, want, raw)
		}
	}
}
