package oracle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// fib makes a lie of a true answer.
type fib struct {
	class string // that finds it
	what  string
	way   []string           // what is tapped first
	fault virtualxcode.Fault // that happens
	name  string             // of the operation
	input in
	lie   func(*record)
}

// TestChecksDetectFalseAnswers holds every check to a true answer, which passes, and to a lie made of it, which does not.
func TestChecksDetectFalseAnswers(t *testing.T) {
	k := begin(t, byAgent)
	untested := map[string]check{}
	for _, c := range checks() {
		untested[c.class] = c
	}
	for _, f := range fibs() {
		t.Run(f.what, func(t *testing.T) {
			k.t = t
			r := k.stage(f)
			c := find(f.class)
			if said := c.find(k, r); said != "" {
				t.Fatalf("the true answer is called a lie: %s", said)
			}
			f.lie(&r)
			if c.find(k, r) == "" {
				t.Errorf("the lie is not found: %+v", r.answer)
			}
		})
		delete(untested, f.class)
	}
	for class := range untested {
		t.Errorf("nobody lies about %s", class)
	}
}

func find(class string) check {
	for _, c := range checks() {
		if c.class == class {
			return c
		}
	}
	panic("there is no check " + class)
}

// stage brings the Conformance app to where a fib is told, and lets the product answer.
func (k *walker) stage(f fib) record {
	k.t.Helper()
	c := &choice{walker: k}
	k.Must(k.session, "launch_app", in{"bundle_id": conformance, "restart": true})
	for _, name := range f.way {
		k.Must(k.session, "tap_element", in{"label": name})
	}
	k.learn(k.observe(0, c, looking()))
	if f.fault.Name != "" {
		if err := k.World.AddFault(f.fault); err != nil {
			k.t.Fatal(err)
		}
	}
	if id, ok := f.input["ref"]; ok {
		f.input["ref"] = k.called(fmt.Sprint(id))
	}
	r := k.observe(1, c, act{f.what, 1, func(*choice) (string, in) { return f.name, f.input }, false})
	if err := k.World.ClearFaults(""); err != nil {
		k.t.Fatal(err)
	}
	return r
}

// called is the ref of the element with an identifier.
func (k *walker) called(id string) string {
	for _, e := range k.shown[k.session] {
		if e.Identifier == id {
			return e.Ref
		}
	}
	k.t.Fatalf("there is no %q", id)
	return ""
}

// edit changes the result of an answer.
func edit(change func(result in)) func(*record) {
	return func(r *record) {
		result := in{}
		_ = json.Unmarshal(r.answer.Result, &result) // what has no result gets one
		change(result)
		r.answer.Result, _ = json.Marshal(result)
	}
}

// dispatch changes what a fault says of its input.
func dispatch(to fault.Dispatch) func(*record) {
	return func(r *record) { r.answer.Error = r.answer.Error.WithDispatch(to) }
}

func fibs() []fib {
	button, crash := in{"identifier": "controls-tap-button"}, virtualxcode.Fault{Name: flaw.AgentCrashAfterAct}
	none, missing := virtualxcode.Fault{}, in{"identifier": "nowhere", "timeout_ms": 0}
	field := in{"identifier": "text-username-field", "text": "tea"}
	of := func(r in, key string) in { inner, _ := r[key].(in); return inner }
	first := func(r in) in { return r["elements"].([]any)[len(r["elements"].([]any))-1].(in) }
	done := edit(func(r in) {
		r["outcome"], r["target"] = "changed", in{"type": "TextField", "identifier": "text-username-field"}
	})
	return []fib{
		{"dispatched", "a tap that arrived was not sent", nil, crash, "tap_element", button, dispatch("no")},
		{"dispatched", "a tap that was not sent arrived", nil, none, "tap_element", missing, dispatch("yes")},
		{"dispatched", "a fault keeps quiet", nil, none, "tap_element", missing, dispatch("")},
		{"dispatched", "a tap that was not sent is done", nil, none, "tap_element", missing, func(r *record) { r.answer.Error = nil }},
		{"twice", "a tap came twice", nil, none, "tap_element", button, func(r *record) { r.inputs = append(r.inputs, r.inputs...) }},
		{"refused", "a fault has no code", nil, none, "tap_element", missing, func(r *record) {
			r.answer.Error = fault.New(fault.Internal, "oops")
		}},
		{"front", "a snapshot is of another app", nil, none, "snapshot", in{}, edit(func(r in) { r["app"] = shop })},
		{"crash", "a snapshot is refused", nil, none, "snapshot", in{}, func(r *record) {
			r.answer.Error = fault.New(fault.AppNotRunning, "gone")
		}},
		{"elements", "an element has another name", nil, none, "snapshot", in{}, edit(func(r in) { first(r)["label"] = "Other" })},
		{"elements", "an element is elsewhere", nil, none, "snapshot", in{}, edit(func(r in) { of(first(r), "frame")["x"] = 7 })},
		{"elements", "an element is left out", nil, none, "snapshot", in{}, edit(func(r in) {
			r["elements"] = r["elements"].([]any)[:len(r["elements"].([]any))-1]
		})},
		{"hittable", "what is covered is in reach", []string{"Navigation", "Show Alert"}, none, "snapshot", in{}, edit(reach(true))},
		{"hittable", "what is in reach is covered", nil, none, "snapshot", in{}, edit(reach(false))},
		{"outcome", "a tap without effect changed something", nil, virtualxcode.Fault{Name: flaw.NoOpTap}, "tap_element", button,
			edit(func(r in) { r["outcome"] = "changed" })},
		{"outcome", "a tap with an effect changed nothing", nil, none, "tap_element", button, edit(func(r in) {
			r["outcome"] = "unchanged"
		})},
		{"outcome", "an expected change did not come", nil, none, "tap_element", in{"identifier": "controls-tap-button", "expect_change": true},
			func(r *record) {
				edit(func(r in) { r["outcome"] = "unchanged" })(r)
				r.answer.Error = fault.New(fault.OutcomeUnchanged, "nothing changed").WithDispatch(fault.Dispatched)
			}},
		{"outcome", "it was looked for long", nil, none, "tap_element", button, edit(func(r in) { r["looked_ms"] = 1e6 })},
		{"target", "another element was tapped", nil, none, "tap_element", button, edit(func(r in) {
			of(r, "target")["identifier"] = "controls-switch"
		})},
		{"ref", "a ref is another element", nil, none, "tap_element", in{"ref": "controls-tap-button"}, edit(func(r in) {
			of(r, "target")["identifier"] = "controls-switch"
		})},
		{"ref", "a ref is one of another app", nil, none, "tap_element", in{"ref": "controls-tap-button"}, func(r *record) {
			r.inputs[0].Front = shop
		}},
		{"text", "a lost text was typed", []string{"Text Input"}, virtualxcode.Fault{Name: flaw.NoOpType, Times: virtualxcode.Forever}, "fill",
			field, func(r *record) { r.answer.Error = nil; done(r) }},
		{"wait", "what is not there is there", nil, none, "wait", in{"identifier": "nowhere", "condition": "exists", "timeout": 0, "soft": true},
			edit(func(r in) { r["matched"] = true })},
		{"launch", "what is not in front was launched", nil, none, "launch_app", in{"bundle_id": "com.example.none"},
			func(r *record) { r.answer.Error = nil }},
		{"launch", "a link led elsewhere", nil, none, "open", in{"url": "shop://cart"}, func(r *record) { r.after.front = settings }},
		{"ended", "an app in front has ended", nil, none, "tap_element", button, func(r *record) {
			r.answer.Error = fault.New(fault.AppEnded, "it ended")
		}},
		{"shown", "a wait keeps quiet of what changed", nil, none, "wait", in{"condition": "settled", "timeout": 2}, func(r *record) {
			r.before.root = &world.Element{Type: "Button", Label: "New"}
			r.after.root = r.before.root
		}},
		{"meanwhile", "something happened meanwhile", nil, none, "snapshot", in{}, func(r *record) {
			r.notices = []string{"meanwhile: + button"}
		}},
	}
}

// reach calls what is out of reach hittable, or the other way round.
func reach(hittable bool) func(in) {
	return func(r in) {
		for _, e := range r["elements"].([]any) {
			if e := e.(in); strings.HasSuffix(fmt.Sprint(e["type"]), "Button") && e["identifier"] != "" {
				e["hittable"] = hittable
			}
		}
	}
}
