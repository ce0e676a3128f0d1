package oracle_test

import (
	"encoding/json"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// deskFib makes a lie of a true answer about a desktop app.
type deskFib struct {
	class string // that finds it
	what  string
	first func(*desk) // what happens before
	name  string      // of the operation
	input in
	lie   func(*worked)
}

// TestDesktopChecksDetectFalseAnswers holds every check to a true answer, which passes, and to a lie made of it, which does not.
func TestDesktopChecksDetectFalseAnswers(t *testing.T) {
	d, untested := openDesk(t, 0), map[string]bool{}
	for _, c := range deskChecks() {
		untested[c.class] = true
	}
	for _, fib := range deskFibs() {
		delete(untested, fib.class)
		t.Run(fib.what, func(t *testing.T) {
			d.learn(d.call("snapshot", in{}))
			if fib.first != nil {
				fib.first(d)
			}
			w := d.call(fib.name, fib.input)
			if said := d.lieOf(fib.class, w); said != "" {
				t.Fatalf("the true answer is called a lie: %s", said)
			}
			fib.lie(&w)
			if d.lieOf(fib.class, w) == "" {
				t.Errorf("the lie is not found: %s", w.answer.Text())
			}
		})
	}
	for class := range untested {
		t.Errorf("nobody lies about %s", class)
	}
}

func (d *desk) lieOf(class string, w worked) (said string) {
	for _, c := range deskChecks() {
		if c.class == class {
			said = c.find(d, w)
		}
	}
	return said
}

func (d *desk) call(name string, input in) worked {
	d.t.Helper()
	if title := input["ref"]; title != nil {
		for ref, e := range d.shown[d.app] {
			if e.Label == title {
				input = in{"ref": ref}
			}
		}
	}
	return d.observe(&deskChoice{desk: d}, deskAct{do: func(*deskChoice) (string, in) { return name, input }})
}

// rewrite changes the result of an answer.
func rewrite(change func(result in)) func(*worked) {
	return func(w *worked) {
		result := in{}
		_ = json.Unmarshal(w.answer.Result, &result) // it is our own
		change(result)
		w.answer.Result, _ = json.Marshal(result)
	}
}

func deskFibs() []deskFib {
	action, other := in{"label": "Action"}, rewrite(func(r in) { r["target"].(in)["label"] = "Enabled" })
	reached := func(w *worked) { w.did = append(w.did, "press Action") }
	return []deskFib{
		{"another app", "another app is pressed", nil, "tap_element", action, func(w *worked) { w.others = []string{"press Action"} }},
		{"another app", "an answer is of another app", nil, "tap_element", action, func(w *worked) {
			w.answer.Meta.Device = &op.Device{UDID: "pid:1:2"}
		}},
		{"another app", "a real program is virtual", nil, "snapshot", in{}, func(w *worked) { w.answer.Meta.Toolchain = "virtual" }},
		{"dispatched", "a press came twice", nil, "tap_element", action, reached},
		{"dispatched", "a press that was not sent arrived", nil, "tap_element", in{"label": "Nothing", "timeout_ms": 0}, reached},
		{"elements", "an element has another name", nil, "snapshot", in{}, rewrite(func(r in) {
			all := r["elements"].([]any)
			all[len(all)-1].(in)["label"] = "Other"
		})},
		{"outcome", "a press with an effect changed nothing", nil, "tap_element", action, rewrite(func(r in) { r["outcome"] = ui.Unchanged })},
		{"outcome", "a press without effect changed something", nil, "tap_element", in{"label": "Drop Here"}, rewrite(func(r in) {
			r["outcome"] = ui.Changed
		})},
		{"target", "another element was pressed", nil, "tap_element", action, other},
		{"ref", "a ref is another element", nil, "tap_element", in{"ref": "Action"}, other},
		{"text", "a lost text was filled in", nil, "fill", in{"label": "Name", "text": "tea"}, func(w *worked) { w.input["text"] = "coffee" }},
		{"meanwhile", "something happened meanwhile", nil, "snapshot", in{}, func(w *worked) {
			w.answer.Meta.Notices = []op.Notice{{Kind: op.Meanwhile, Lines: []string{"+ button"}}}
		}},
		{"meanwhile", "what happened meanwhile is not told", func(d *desk) { d.apps[d.app].Add("AXButton", "Extra") }, "snapshot", in{},
			func(w *worked) { w.answer.Meta.Notices = nil }},
		{"barred", "a button behind a modal dialog is pressed", func(d *desk) {
			d.apps[d.app].Ask("Sure?", dialogButton, true, ui.Rect{X: 0, Y: 0, W: 900, H: 900})
		}, "tap_element", in{"label": "Action", "timeout_ms": 0}, func(w *worked) {
			w.answer.Error = fault.New(fault.Internal, "done")
			reached(w)
		}},
	}
}
