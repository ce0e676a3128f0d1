package house_test

import (
	"strings"
	"testing"

	"ios-agent/test/house"
)

// TestSubmitReportsEffectOfReturn: a return that sent something, and one that only put the keyboard away.
func TestSubmitReportsEffectOfReturn(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "com.iosagent.shop")
	h.Must("a", "fill", map[string]any{"label": "Email", "text": "ada@example.com"})
	fill := func(label, text string) (string, string) {
		t.Helper()
		e := h.Must("a", "fill", map[string]any{"label": label, "text": text, "submit": true})
		return e.Text(), house.Result[struct{ Return string }](h, e).Return
	}
	said, came := fill("Password", "secret")
	if came != "unchanged" || !strings.Contains(said, "] and return → changed") ||
		!strings.Contains(said, "\nnote: return moved at most the focus") {
		t.Errorf("%s: %s", came, said)
	}
	h.Must("a", "tap_element", map[string]any{"label": "Log in"})
	said, came = fill("Search", "Teapot 2")
	if came != "changed" || !strings.Contains(said, " and return → changed") || strings.Contains(said, "note:") {
		t.Errorf("%s: %s", came, said)
	}
}

// TestSnapshotBudgetKeepsNewElements: what an action brought stays in an outline that has no room for all.
func TestSnapshotBudgetKeepsNewElements(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "com.iosagent.shop")
	h.Must("a", "fill", map[string]any{"label": "Email", "text": "ada@example.com"})
	h.Must("a", "fill", map[string]any{"label": "Password", "text": "wrong"})
	h.Must("a", "tap_element", map[string]any{"label": "Log in"})
	text := h.Must("a", "snapshot", map[string]any{"budget": 120}).Text()
	if !strings.Contains(text, "Wrong e-mail or password.") || !strings.Contains(text, " more left out, ") {
		t.Errorf("the budget drops the line that mattered:\n%s", text)
	}
}
