package house_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// severalShapes are the keys that have two kinds in the answers of the core family, each with its reason.
var severalShapes = map[string]string{
	"target": "the specification's actions_available name a ref; an action tells the element it acted on",
}

// quernsSeconds are the keys in seconds: everything else that lasts is in milliseconds.
var quernsSeconds = map[string]string{
	"waited_seconds": "resolve_device is quern's, with its documented answer",
}

// otherNames are keys for what core calls otherwise.
var otherNames = map[string]string{
	"simulatorId": "udid", "deviceId": "udid", "simulator_id": "udid", "device_id": "udid", "bundleId": "bundle_id", "appPath": "app_path",
	"processId": "pid", "width_points": "w", "centerX": "at", "durationMs": "duration_ms",
}

// TestCoreAnswersUseOneShapePerKey walks what the operations of the core family answer: a key is of one kind wherever it stands, a frame
// is x, y, w and h, an element has the specification's keys, and what lasts is in milliseconds.
func TestCoreAnswersUseOneShapePerKey(t *testing.T) {
	t.Parallel()
	kinds := map[string]map[string][]string{}
	for _, o := range product.Catalogue().Ops() {
		if o.Family != op.Core {
			continue
		}
		s := o.OutputSchema()
		walkSchema(o.Name, s, func(path, name string, p *jsonschema.Schema) {
			if path == o.Name && name == "meta" {
				return
			}
			kind := kindOf(p)
			if kinds[name] == nil {
				kinds[name] = map[string][]string{}
			}
			kinds[name][kind] = append(kinds[name][kind], path)
			if keys := propertiesOf(p); name == "frame" && keys != "h w x y" {
				t.Errorf("%s: a frame of %s", path, keys)
			}
			if instead := otherNames[name]; instead != "" {
				t.Errorf("%s.%s is called %s everywhere else", path, name, instead)
			}
			if strings.HasSuffix(name, "seconds") && quernsSeconds[name] == "" {
				t.Errorf("%s.%s: what lasts is in milliseconds", path, name)
			}
			if name == "element" || name == "elements" {
				if !strings.Contains(propertiesOf(p), "frame hidden hittable identifier label") {
					t.Errorf("%s.%s is not the specification's element: %s", path, name, propertiesOf(p))
				}
			}
		})
	}
	for name, found := range kinds {
		if len(found) == 1 || found["anything"] != nil && len(found) == 2 || severalShapes[name] != "" {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(found)) {
			t.Errorf("%s is %s in %s", name, kind, strings.Join(found[kind], ", "))
		}
	}
	for name := range severalShapes {
		if len(kinds[name]) < 2 {
			t.Errorf("%s has one shape, and stands among the exceptions", name)
		}
	}
}

// walkSchema shows every property of a schema, with the place it stands in.
func walkSchema(path string, s *jsonschema.Schema, see func(path, name string, p *jsonschema.Schema)) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		see(path, name, p)
		walkSchema(path+"."+name, p, see)
	}
	walkSchema(path+"[]", s.Items, see)
	walkSchema(path+"{}", s.AdditionalProperties, see)
}

// kindOf is what a value is in JSON; whether it may be null is another matter.
func kindOf(s *jsonschema.Schema) string {
	types := slices.DeleteFunc(append(slices.Clone(s.Types), s.Type), func(t string) bool { return t == "" || t == "null" })
	kind := strings.ReplaceAll(strings.Join(types, " or "), "integer", "number")
	switch {
	case kind == "":
		return "anything"
	case s.Items != nil:
		return kind + " of " + kindOf(s.Items)
	}
	return kind
}

func propertiesOf(s *jsonschema.Schema) string {
	if s.Items != nil {
		s = s.Items
	}
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), " ")
}

// TestOutputSchemasAreListedOnlyOnRequest: a program that asks for JSON gets the schema of every answer, a model pays for none.
func TestOutputSchemasAreListedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many schemas take long")
	}
	h := house.New(t)
	for _, set := range []string{mcp.Default, mcp.All} {
		plain, err := h.MCP("a", product.Serving{Tools: set}).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range plain.Tools {
			if tool.OutputSchema != nil {
				t.Errorf("%s has an output schema, and nobody asked", tool.Name)
			}
		}
		for name, schema := range published(t, h, set) {
			if _, err := schema.Resolve(nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if whole := len(schema.AnyOf) > 1 && schema.AnyOf[0].AdditionalProperties != nil && schema.AnyOf[0].Properties["meta"] != nil; !whole {
				t.Errorf("%s: its schema says nothing: %s", name, schema)
			}
		}
	}
}

// published are the output schemas of a set, by the name of the tool.
func published(t *testing.T, h *house.House, set string) map[string]*jsonschema.Schema {
	t.Helper()
	list, err := h.MCP("a", product.Serving{Tools: set, Structured: true, Destructive: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Schema{}
	for _, tool := range list.Tools {
		if tool.Name == "find_tools" || tool.Name == "call_tool" {
			continue // they answer with text, and with what they call
		}
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		s := &jsonschema.Schema{}
		if err := json.Unmarshal(raw, s); err != nil || string(raw) == "null" {
			t.Errorf("%s publishes no schema: %s %v", tool.Name, raw, err)
			continue
		}
		out[tool.Name] = s
	}
	return out
}

const noDebugger = "no debugger is attached"

// refusedExamples are the operations whose example is refused in this house; their faults have to fit all the same.
var refusedExamples = map[string]string{
	"clear": "the example's element is a button", "fill": "the example's element is a button",
	"set_value": "the example's element is a button",
	"drag":      "refs of the example are of another screen", "alert": "no alert is shown",
	"job_status": "there is no such job", "job_wait": "there is no such job",
	"job_cancel": "there is no such job",
	"show_build": "data_delete, an example before it, has deleted what was kept",
	"wait":       "the example names no element", "type_text": "nothing has the focus", "press_key": "nothing has the focus",
	"key_sequence": "nothing has the focus", "parse": "there is no such file",
	"debug_attach": "there is no lldb-dap here", "debug_launch": "apps of Virtual Xcode have no machine code",
	"debug_break": noDebugger, "debug_unbreak": noDebugger, "debug_continue": noDebugger,
	"debug_pause": noDebugger, "debug_step": noDebugger, "debug_wait": noDebugger, "debug_stack": noDebugger, "debug_vars": noDebugger,
	"debug_lldb": noDebugger, "debug_detach": noDebugger, "debug_eval": noDebugger, "debug_set": noDebugger, "debug_watch": noDebugger,
	"debug_unwatch": noDebugger, "debug_log": noDebugger,
	"proxy_map": "there is no such file",
	"show_flow": "nothing went through the proxy", "proxy_release": "nothing is held", "proxy_replay": "there is no such request",
	"show_crash": "nothing crashed", "take_over_device": "there is no such device", "session_use_defaults_profile": "there is no such profile",
	"test": "Virtual Xcode runs no tests",
}

// TestAnswersFitTheirSchemas calls every operation of the core family as a program does, and holds what it gets against the
// schema that was published.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many schemas take long")
	}
	h := house.New(t)
	files := h.Files()
	h.Boot("a", drivertest.Conformance)
	schemas := published(t, h, mcp.All)
	fits := func(name string, input map[string]any) (ok bool) {
		t.Helper()
		res, err := h.Tool("a", name, input)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return false
		}
		resolved, err := schemas[name].Resolve(nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return false
		}
		if err := resolved.Validate(res.StructuredContent); err != nil {
			said, _ := json.Marshal(res.StructuredContent)
			t.Errorf("%s %v: %v\n%.1500s", name, input, err, said)
		}
		if form := schemas[name].AnyOf[0]; !res.IsError {
			if r, err := form.Resolve(nil); err != nil || r.Validate(res.StructuredContent) != nil {
				t.Errorf("%s: a success that is no result: %v", name, r.Validate(res.StructuredContent))
			}
		}
		return !res.IsError
	}
	worked := 0
	for _, o := range h.Product.Catalogue.Ops() {
		if o.Family != op.Core || o.Streams() {
			continue
		}
		h.Boot("a", drivertest.Conformance) // also after one that shut it down
		h.Call("a", "snapshot", nil)
		ok := fits(o.Name, files.Example(o, o.Name))
		if ok {
			worked++
		}
		if o.Name == "proxy_launch" || o.Name == "proxy_run" { // so that the next example can start one
			h.Call("a", "proxy_stop", nil)
		}
		if ok != (refusedExamples[o.Name] == "") {
			t.Errorf("the example of %s: done is %v: %s", o.Name, ok, h.Call("a", o.Name, files.Example(o, o.Name)).Text())
		}
	}
	t.Logf("%d answers are results, %d faults", worked, len(refusedExamples))
	h.Boot("a", drivertest.Conformance)
	for _, more := range []struct {
		name  string
		input map[string]any
	}{
		{"snapshot", map[string]any{"within": "controls-tap-button"}},
		{"wait", map[string]any{"identifier": "controls-tap-button"}},
		{"wait", map[string]any{"identifier": "controls-tap-button", "condition": "settled"}},
		{"take_screenshot", map[string]any{"annotate": true}},
		{"batch", map[string]any{"steps": []string{"tap --identifier controls-tap-button", "wait --condition settled"}}},
	} {
		if !fits(more.name, more.input) {
			t.Errorf("%s %v failed", more.name, more.input)
		}
	}
	waited := house.Result[struct {
		Element struct{ Ref, Type, Role string }
	}](h,
		h.Must("a", "wait", map[string]any{"identifier": "controls-tap-button"})).Element
	got := house.Result[struct{ Ref, Type, Role string }](h, h.Must("a", "get_element", map[string]any{"identifier": "controls-tap-button"}))
	if waited != got || got.Ref == "" {
		t.Errorf("wait tells %+v, get_element %+v", waited, got)
	}
	if fits("tap_element", map[string]any{"label": "Nonesuch", "no_wait": true}) {
		t.Error("a tap on nothing is a success")
	}
}
