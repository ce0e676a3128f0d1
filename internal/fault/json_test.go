package fault

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestOfJSONNamesNoGoType: a caller reads what its JSON must be, in JSON's words.
func TestOfJSONNamesNoGoType(t *testing.T) {
	var into struct {
		Status int               `json:"status"`
		Body   *string           `json:"body"`
		Header map[string]string `json:"header"`
		List   []bool            `json:"list"`
	}
	for text, want := range map[string]string{
		`{"status":"x"}`:     "status must be a whole number, not a string",
		`{"status":1.5}`:     "status must be a whole number, not 1.5",
		`{"body":[]}`:        "body must be a string, not a list",
		`{"header":{"a":1}}`: "header must be a string, not a number",
		`{"header":true}`:    "header must be an object, not true or false",
		`{"list":{}}`:        "list must be a list, not an object",
		`[]`:                 "it must be an object, not a list",
		`{"a"`:               "unexpected end of JSON input",
	} {
		if got := OfJSON(json.Unmarshal([]byte(text), &into)); got == nil || !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
	if err := OfJSON(nil); err != nil {
		t.Errorf("got %v for no error", err)
	}
}
