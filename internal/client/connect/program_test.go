package connect

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestProgramGetsTheActionsOnce: a program remembers the list; a model gets it in every request.
func TestProgramGetsTheActionsOnce(t *testing.T) {
	prompt := newPrompt("a goal", actionsOf(catalogue(), Policy{}))
	var p Program
	sizes := [2]int{}
	for i := range sizes {
		turn := prompt.turn(i+1, 9, look{outline: "screen:1"})
		raw, err := json.Marshal(p.brief(turn))
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = len(raw)
		for _, key := range []string{`"actions":`, `"instructions":`, `tap_element(`} {
			if strings.Contains(string(raw), key) != (i == 0) {
				t.Errorf("turn %d: %s", i+1, key)
			}
		}
		for name, s := range dialects() {
			request, err := json.Marshal(s.dialect.request("m", turn))
			if err != nil || !strings.Contains(string(request), "tap_element(") {
				t.Errorf("%s, turn %d: no actions (%v)", name, i+1, err)
			}
		}
	}
	if sizes[0] < 2*sizes[1] || sizes[1] > 1_000 {
		t.Errorf("turns of %d bytes", sizes)
	}
}

// TestRequestHasPictureInEachDialect: each kind of endpoint has its own words for one.
func TestRequestHasPictureInEachDialect(t *testing.T) {
	for name, part := range map[string]string{
		"anthropic": `{"source":{"data":"AAAA","media_type":"image/png","type":"base64"},"type":"image"}`,
		"openai":    `{"image_url":{"url":"data:image/png;base64,AAAA"},"type":"image_url"}`,
	} {
		request, err := json.Marshal(dialects()[name].dialect.request("m", Turn{Prompt: "what now", picture: "data:image/png;base64,AAAA"}))
		if err != nil || !strings.Contains(string(request), part) || !strings.Contains(string(request), `{"text":"what now","type":"text"}`) {
			t.Errorf("%s: %s %v", name, request, err)
		}
	}
}
