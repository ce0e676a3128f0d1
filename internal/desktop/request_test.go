package desktop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

// TestRequestJSONIsValidated are the seed's eleven cases, and the departure: a modifier that nobody knows is refused.
func TestRequestJSONIsValidated(t *testing.T) {
	for name, c := range map[string]struct{ request, field, says string }{
		"valid click":         {`{"sessionId":"s1","action":"click","id":"btn_a1b2"}`, "", ""},
		"empty session":       {`{"sessionId":"","action":"click","id":"btn_a1b2"}`, "sessionId", "sessionId must not be empty"},
		"click without id":    {`{"sessionId":"s1","action":"click"}`, "id", "id is required for all actions except 'key'"},
		"key needs no id":     {`{"sessionId":"s1","action":"key","key":"s","modifiers":["cmd"]}`, "", ""},
		"key without key":     {`{"sessionId":"s1","action":"key"}`, "key", "key is required for 'key' action"},
		"type without text":   {`{"sessionId":"s1","action":"type","id":"txt_1234"}`, "text", "text is required for 'type' action"},
		"drag without toId":   {`{"sessionId":"s1","action":"drag","id":"el_1234"}`, "toId", "toId is required for 'drag' action"},
		"scroll to nowhere":   {`{"sessionId":"s1","action":"scroll","id":"lst_1234"}`, "direction", "direction is required for 'scroll' action"},
		"set_value, no value": {`{"sessionId":"s1","action":"set_value","id":"sld_1234"}`, "value", "value is required for 'set_value' action"},
		"unknown modifier": {`{"sessionId":"s1","action":"key","key":"s","modifiers":["hyperr"]}`, "modifiers",
			"unknown modifier: 'hyperr'"},
	} {
		var r desktop.Request
		if err := json.Unmarshal([]byte(c.request), &r); err != nil {
			t.Fatal(err)
		}
		err := r.Check()
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		f := fault.From(err)
		if f == nil || f.Code != fault.InvalidInput || f.Message != c.says || f.Details["field"] != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJSONUsesCamelCaseAndOmitsEmptyFields: names are in camel case, and what is not there is absent.
func TestJSONUsesCamelCaseAndOmitsEmptyFields(t *testing.T) {
	settle, changed := 100, true
	raw, err := json.Marshal(desktop.Request{Session: "s1", Action: desktop.Click, SettleMS: &settle})
	if err != nil || !strings.Contains(string(raw), `"sessionId":"s1"`) || !strings.Contains(string(raw), `"settleMs":100`) {
		t.Errorf("%s %v", raw, err)
	}
	raw, err = json.Marshal(desktop.Response{Success: true, Method: "ax", Changed: &changed})
	if err != nil || string(raw) != `{"success":true,"method":"ax","changed":true}` {
		t.Errorf("%s %v", raw, err)
	}
}
