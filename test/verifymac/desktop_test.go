package main

import (
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple"
)

// TestLearnedIDsFillLaterSteps: what answers tell of a desktop app is what later steps name.
func TestLearnedIDsFillLaterSteps(t *testing.T) {
	tr := &trial{options: options{work: t.TempDir()}, out: t.Output(), known: map[string]string{}}
	tr.learn([]byte(`{"status":"success","result":{"sessionId":"d-7","pid":12}}`))
	tr.learn([]byte(`{"status":"success","result":{"tree":"[AXWindow \"Desktop Twin\" id=w_1 bounds=0,0,1,1 enabled]\n` +
		`  [AXButton \"Action\" id=btn_0af1 enabled]\n  [AXButton \"Action\" id=btn_2 enabled]\n` +
		`  [AXStaticText id=lbl_3 bounds=1,2,3,4 value=\"Drag Source\" enabled]"}}`))
	tr.learn([]byte("no JSON"))
	got, err := tr.fill([]string{"app", "act", "@session", "drag", "@Drag Source", "--to-id", "@Action"})
	if want := []string{"app", "act", "d-7", "drag", "lbl_3", "--to-id", "btn_0af1"}; err != nil || !slices.Equal(got, want) {
		t.Error(got, err)
	}
	if _, err := tr.fill([]string{"@Drop Here"}); err == nil || !strings.Contains(err.Error(), `"Drop Here"`) {
		t.Error(err)
	}
	launch := withJSON([]string{"app", "launch", "--", "twin", "x"})
	if want := []string{"app", "launch", "--json", "--", "twin", "x"}; !slices.Equal(launch, want) {
		t.Error(launch)
	}
}

// TestTwinStepsUseExistingLabels: its steps need each other in an order, and each name that they use is one of its labels.
func TestTwinStepsUseExistingLabels(t *testing.T) {
	tr := &trial{options: options{work: t.TempDir()}, out: t.Output(), known: map[string]string{}}
	seen := []string{""}
	for _, p := range tr.onDesktop() {
		for _, s := range p.steps {
			if !slices.Contains(seen, s.needs) {
				t.Errorf("%s needs %s, which does not come before it", s.name, s.needs)
			}
			seen = append(seen, s.name)
			for _, word := range s.args {
				name, is := strings.CutPrefix(word, "@")
				if is && name != "session" && !strings.Contains(string(twin), `"`+name+`"`) {
					t.Errorf("the twin has no %s", name)
				}
			}
		}
	}
	if len(seen) < 17 {
		t.Errorf("only %d steps", len(seen))
	}
	tr.tools.Name = apple.Virtual
	for _, p := range tr.onDesktop() {
		if p.off.why == "" {
			t.Errorf("part %s is tried on Virtual Xcode, which plays no desktop", p.name)
		}
	}
}
