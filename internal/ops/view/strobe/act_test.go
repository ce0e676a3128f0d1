package strobe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// did is what came of an action, as clients read it.
type did struct {
	Success               bool
	Method, Error, Hint   string
	Outcome               ui.Outcome
	Changed               *bool
	Settled               bool
	LookedMS              *int `json:"looked_ms"`
	Diff                  []string
	NodeBefore, NodeAfter *struct {
		ID, Role, Title, Source string
		Value                   *string
		Enabled                 bool
		Bounds                  *ui.Rect
		Actions                 []string
		Children                []struct{ Title string }
		ChildrenOmitted         int
	}
}

// act does an action on an element; its answer is checked for success alone.
func (s *set) act(action, title, more string) (did, op.Envelope) {
	s.T.Helper()
	if title != "" {
		more = `"id":"` + s.id(title) + `"` + more
	}
	e := s.Run("debug_ui_action", s.on(`"action":"`+action+`","settleMs":0,`+strings.TrimPrefix(more, ",")))
	var got did
	if e.Error != nil {
		s.T.Fatalf("%s %s: got the fault %+v, want an answer", action, title, e.Error)
	}
	if err := json.Unmarshal(e.Result, &got); err != nil {
		s.T.Fatal(err)
	}
	if e.Refused == got.Success {
		s.T.Errorf("%s %s: got refused %v and success %v, want one of them", action, title, e.Refused, got.Success)
	}
	return got, e
}

func TestActionShowsElementBeforeAndAfter(t *testing.T) {
	s := start(t)
	got, e := s.act("click", "Enabled", "")
	if !got.Success || got.Method != "said" || got.Outcome != ui.Changed || got.Changed == nil || !*got.Changed || got.Hint != "" {
		t.Fatalf("got %+v, want a change", got)
	}
	if b, a := got.NodeBefore, got.NodeAfter; *b.Value != "0" || *a.Value != "1" || b.Role != "AXCheckBox" || b.ID != a.ID || !b.Enabled ||
		b.Bounds == nil || b.Source != "said" || len(b.Actions) != 1 || b.ChildrenOmitted != 0 {
		t.Errorf("got %+v and %+v, want the switch before and after", b, a)
	}
	for _, want := range []string{
		"click ", `"Enabled"`, " → done by said, changed, element changed: true (looked for ", " ms)\nnow ", "\n~ checkbox \"Enabled\"",
	} {
		if !strings.Contains(e.Stdout, want) {
			t.Errorf("got the text\n%s\nwant %q in it", e.Stdout, want)
		}
	}
}

func TestActionOmitsChildrenUnlessRequested(t *testing.T) {
	s := start(t)
	got, _ := s.act("scroll", "Items", `,"direction":"down"`)
	if got.NodeBefore.ChildrenOmitted != 3 || len(got.NodeBefore.Children) != 0 {
		t.Errorf("got %+v, want three elements left out", got.NodeBefore)
	}
	got, _ = s.act("scroll", "Items", `,"direction":"down","children":true`)
	if got.NodeBefore.ChildrenOmitted != 0 || len(got.NodeBefore.Children) != 3 || got.NodeBefore.Children[0].Title != "Alpha" {
		t.Errorf("got %+v, want them shown", got.NodeBefore)
	}
}

func TestActionWithoutEffectGivesHint(t *testing.T) {
	s := start(t)
	look := hint.Do("desktop_debug_ui", "sessionId", s.s.ID)
	picture := hint.Do("desktop_debug_ui", "sessionId", s.s.ID, "mode", "screenshot")
	unchanged := "the windows have not changed: the app may need another state first, or the effect comes later; " +
		look + " shows the windows again"
	for name, c := range map[string]struct{ action, title, more, hint string }{
		"a scroll": {"scroll", "Items", `,"direction":"down"`, "the tree often lacks the scroll position: " + picture +
			" shows it"},
		"a disabled element":          {"click", "Off", "", "the element is disabled: the app ignores actions on it now"},
		"no effect":                   {"click", "Drop Here", "", unchanged},
		"a key without an element":    {"key", "", `"key":"s"`, unchanged},
		"a change of another element": {"click", "Action", "", ""},
		"an unknown id":               {"click", "", `"id":"btn_none"`, look + " shows the current ids"},
		"an unknown destination":      {"drag", "Drag Source", `,"toId":"lbl_none"`, look + " shows the current ids"},
		"an invalid value":            {"set_value", "Items", `,"value":"x"`, ""},
	} {
		got, e := s.act(c.action, c.title, c.more)
		if got.Hint != c.hint {
			t.Errorf("%s: got the hint %q, want %q", name, got.Hint, c.hint)
		}
		if c.hint != "" && !strings.HasSuffix(e.Stdout, "\nhint: "+c.hint) {
			t.Errorf("%s: got the text\n%s\nwant the hint at its end", name, e.Stdout)
		}
		if strings.Contains(e.Stdout, "\n\n") {
			t.Errorf("%s: got the text\n%s\nwant no empty line", name, e.Stdout)
		}
		if !got.Success && !strings.Contains(e.Stdout, " → success: false: "+got.Error) {
			t.Errorf("%s: got the text %q, want why it was not done", name, e.Stdout)
		}
	}
}

func TestActionRefusesInvalidInput(t *testing.T) {
	s := start(t)
	s.Refused("debug_ui_action", s.on(`"action":"click"`), fault.InvalidInput, "id is required for all actions except 'key'")
	s.Refused("debug_ui_action", s.on(`"action":"fly","id":"x"`), fault.InvalidInput)
	s.Refused("debug_ui_action", `{"sessionId":"none","action":"key","key":"s"}`, fault.SessionNotFound)
}
