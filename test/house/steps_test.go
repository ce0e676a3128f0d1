package house_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/touch"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestShowStepReturnsInputAndResult under the id of its answer: what was asked, what came of it, and between which screens.
func TestShowStepReturnsInputAndResult(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	before := house.Result[struct{ ID string }](h, h.Must("ada", "snapshot", nil)).ID
	e := h.Must("ada", "tap_element", in{"label": "Tap Me"})
	step := house.Result[steps.Step](h, h.Must("ada", "show_step", in{"step": e.Meta.Step}))
	out := house.Result[touch.ActionOut](h, op.Envelope{Result: step.Result})
	if step.Op != "tap_element" || step.Session != "ada" || step.Input["label"] != "Tap Me" || len(step.Input) != 1 || step.Device == nil {
		t.Errorf("%+v", step)
	}
	if out.Outcome != "changed" || len(out.Diff) != 1 || step.TookMS != e.Meta.TookMS {
		t.Errorf("%+v", out)
	}
	if !slices.Equal(step.Screens, []string{before, out.Snapshot}) || out.Snapshot == before {
		t.Errorf("%v after %s", step.Screens, before)
	}
	if r := h.CLI("ada", "step", "show", e.Meta.Step); !strings.Contains(r.Stdout, `tap_element {"label":"Tap Me"}`) ||
		!strings.Contains(r.Stdout, strings.ReplaceAll(e.Stdout, " [virtual]", "")) {
		t.Errorf("%+v", r)
	}
	if r := h.REST("ada", "GET", "/api/v1/steps/"+e.Meta.Step, nil); r.Code != 200 || !strings.Contains(r.Body.String(), out.Snapshot) {
		t.Errorf("%d %s", r.Code, r.Body)
	}
	if e := h.Call("bob", "show_step", in{"step": e.Meta.Step}); e.Error == nil || e.Error.Code != fault.StepNotFound {
		t.Errorf("another session reads it: %s", e.Text())
	}
	failed := h.Call("ada", "tap_element", in{"label": "Absent", "timeout_ms": 10})
	step = house.Result[steps.Step](h, h.Must("ada", "show_step", in{"step": failed.Meta.Step}))
	if step.Error == nil || step.Error.Code != fault.ElementNotFound || step.ID == e.Meta.Step {
		t.Errorf("%+v", step)
	}
	if e := h.Must("ada", "snapshot", nil); e.Meta.Step != "" {
		t.Errorf("a look is no step: %s", e.Meta.Step)
	}
	e = h.Must("ada", "batch", in{"steps": []string{"tap --label Delete", "snapshot"}})
	batch := house.Result[struct{ Steps []struct{ ID string } }](h, e)
	if batch.Steps[0].ID == "" || batch.Steps[1].ID != "" {
		t.Errorf("%+v", batch)
	}
	for _, name := range []string{"launch_app", "terminate_app"} {
		if e := h.Must("ada", name, in{"bundle_id": drivertest.Conformance}); e.Meta.Step == "" {
			t.Errorf("%s has no step", name)
		}
	}
}

// TestAStepKeepsNoSecrets: what goes into a secure field, or to an app at its start, is masked on its way into the memory.
func TestAStepKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	h.Must("ada", "tap_element", in{"label": "Text Input"})
	if err := os.MkdirAll(secrets.Dir(h.Home.String()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(secrets.Dir(h.Home.String()), "token"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := func(name string, input in) string {
		id := h.Call("ada", name, input).Meta.Step
		return string(h.Must("ada", "show_step", in{"step": id}).Result)
	}
	if text := kept("fill", in{"identifier": "text-username-field", "text": "ada"}); !strings.Contains(text, `"text":"ada"`) {
		t.Errorf("what everybody sees is not kept: %s", text)
	}
	for name, input := range map[string]in{
		"fill":       {"identifier": "text-password-field", "text": "hunter2"},
		"type_text":  {"identifier": "text-username-field", "text": "$SECRET:token"},
		"launch_app": {"bundle_id": drivertest.Conformance, "env": []string{"TOKEN=hunter2"}, "args": []string{"hunter2"}},
		"batch":      {"steps": []string{"fill --identifier text-password-field --text hunter2"}},
	} {
		if name == "batch" {
			if e := h.Call("ada", name, input); e.Meta.Step != "" {
				t.Errorf("a batch is kept as a whole: %+v", e.Meta)
			}
			continue
		}
		if text := kept(name, input); strings.Contains(text, "hunter2") {
			t.Errorf("%s keeps it: %s", name, text)
		}
	}
	if e := h.Call("ada", "fill", in{"identifier": "no-such-field", "text": "hunter2", "timeout_ms": 1}); e.Error != nil {
		if text := string(h.Must("ada", "show_step", in{"step": e.Meta.Step}).Result); strings.Contains(text, "hunter2") {
			t.Errorf("a failed step keeps it: %s", text)
		}
	}
}

// TestConfigurationMistakesAreReportedOnce: in answers that depend on the configuration, and whenever the defaults are shown.
func TestConfigurationMistakesAreReportedOnce(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	folder := filepath.Join(h.Home.String(), ".ios-agent")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte("sessionDefaults:\n  shceme: Shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := func(name string, input in) bool {
		e := h.Must("ada", name, input)
		is := len(e.Meta.Notices) == 1 && e.Meta.Notices[0].Kind == op.Config && strings.Contains(e.Meta.Notices[0].Text, "shceme")
		return is && strings.HasPrefix(e.Text(), "config: ")
	}
	sim := in{"simulatorName": house.Device}
	if !told("snapshot_ui", sim) {
		t.Error("a tool that takes defaults says nothing")
	}
	if told("snapshot_ui", sim) {
		t.Error("it is told again")
	}
	for range 2 {
		if !told("session_show_defaults", nil) {
			t.Error("the defaults are shown without it")
		}
	}
}
