package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/machine/docfile"
)

func TestJSONEditKeepsFileLayout(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"nothing":         {"", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}\n"},
		"blank, CRLF":     {"\r\n", "{\r\n  \"a\": {\r\n    \"b\": {\r\n      \"c\": 1\r\n    }\r\n  }\r\n}\r\n"},
		"BOM only":        {bom, bom + "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}\n"},
		"empty object":    {"{}", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}"},
		"minified":        {`{"x":[1,2],"a":{"y":0}}`, `{"x":[1,2],"a":{"y":0,"b":{"c":1}}}`},
		"one line":        {`{"x": 1}`, `{"x": 1, "a": {"b": {"c": 1}}}`},
		"a huge number":   {`{"x": 1e999, "y": [-1E+1000]}`, `{"x": 1e999, "y": [-1E+1000], "a": {"b": {"c": 1}}}`},
		"minified, empty": {`{"a":{}}`, `{"a":{"b":{"c":1}}}`},
		"tabs": {"{\n\t\"a\": {\n\t\t\"x\": 0\n\t}\n}\n",
			"{\n\t\"a\": {\n\t\t\"x\": 0,\n\t\t\"b\": {\n\t\t\t\"c\": 1\n\t\t}\n\t}\n}\n"},
		"four spaces": {"{\n    \"a\": {}\n}", "{\n    \"a\": {\n        \"b\": {\n            \"c\": 1\n        }\n    }\n}"},
		"CRLF": {"{\r\n  \"x\": 1\r\n}\r\n",
			"{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"b\": {\r\n      \"c\": 1\r\n    }\r\n  }\r\n}\r\n"},
		"BOM":           {bom + `{"x": 1}`, bom + `{"x": 1, "a": {"b": {"c": 1}}}`},
		"flat in lines": {"{\n  \"a\": {\"x\": 1},\n  \"z\": 0\n}", "{\n  \"a\": {\"x\": 1, \"b\": {\"c\": 1}},\n  \"z\": 0\n}"},
		"other value":   {"{\n \"a\" : { \"b\":{\"c\" : [ 2 ] , \"d\":0}}}", "{\n \"a\" : { \"b\":{\"c\" : 1 , \"d\":0}}}"},
		"same value":    {`{"a" : {"b": {"c": 1.0}}}`, `{"a" : {"b": {"c": 1.0}}}`},
		"escaped key":   {`{"\u0061": {"ü": "\"}{"}}`, `{"\u0061": {"ü": "\"}{", "b": {"c": 1}}}`},
		"twice":         {`{"a": 0, "a": {}}`, `{"a": 0, "a": {"b": {"c": 1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := openDocument([]byte(c.before), false)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time changes nothing
				if err := d.set([]string{"a", "b", "c"}, "1"); err != nil {
					t.Fatal(err)
				}
				if got := string(d.bytes()); got != c.after {
					t.Errorf("got  %q\nwant %q", got, c.after)
				}
			}
		})
	}
}

func TestJSONAppendKeepsListLayout(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"none":       {"{\n  \"x\": 1\n}\n", "{\n  \"x\": 1,\n  \"p\": {\n    \"allow\": [\n      \"new\"\n    ]\n  }\n}\n"},
		"empty":      {"{\n\t\"p\": {\n\t\t\"allow\": []\n\t}\n}", "{\n\t\"p\": {\n\t\t\"allow\": [\n\t\t\t\"new\"\n\t\t]\n\t}\n}"},
		"in lines":   {"{\"p\": {\"allow\": [\n  \"a\",\n  \"b\"\n]}}", "{\"p\": {\"allow\": [\n  \"a\",\n  \"b\",\n  \"new\"\n]}}"},
		"on a line":  {"{\n  \"p\": {\"allow\": [\"a\", 1]}\n}", "{\n  \"p\": {\"allow\": [\"a\", 1, \"new\"]}\n}"},
		"minified":   {`{"p":{"allow":["a"]}}`, `{"p":{"allow":["a","new"]}}`},
		"other keys": {`{"p": {"deny": ["new"]}}`, `{"p": {"deny": ["new"], "allow": ["new"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := openDocument([]byte(c.before), false)
			if err != nil {
				t.Fatal(err)
			}
			path := []string{"p", "allow"}
			if d.lists(path, []string{"new"}) {
				t.Error("listed too early")
			}
			if err := d.add(path, "new"); err != nil {
				t.Fatal(err)
			}
			if got := string(d.bytes()); got != c.after {
				t.Errorf("got  %q\nwant %q", got, c.after)
			}
			if !d.lists(path, []string{"old", "new"}) {
				t.Error("not listed")
			}
		})
	}
}

func TestJSONEditRefusesInvalidDocument(t *testing.T) {
	for text, line := range map[string]int{
		"{\n  // mine\n  \"a\": {}\n}":         2,
		"{\n  \"a\": 1,\n}":                    3,
		"{\n\n  \"a\": [":                      3,
		"[]":                                   1,
		"null":                                 1,
		"{}{}":                                 1,
		"{\n  \"a\": null\n}":                  2,
		"{\n  \"a\": {\n    \"b\": []\n  }\n}": 3,
		strings.Repeat("[", 20000):             1,
	} {
		d, err := openDocument([]byte(text), false)
		if err == nil {
			err = d.set([]string{"a", "b", "c"}, "1")
		}
		var at *docfile.Problem
		if !errors.As(err, &at) || at.Line != line {
			t.Errorf("%.40q: %v, want line %d", text, err, line)
		}
	}
	d, err := openDocument([]byte("{\n\"a\":\n{}}"), false)
	if err != nil {
		t.Fatal(err)
	}
	var at *docfile.Problem
	if err := d.add([]string{"a"}, "x"); !errors.As(err, &at) || at.Line != 3 {
		t.Errorf("an object for a list: %v", err)
	}
}

// FuzzJSON: an edit yields valid JSON that means the same but for the edit, and changes one stretch of the text: one
// that was empty, white space, or the value that is replaced.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		"", "{}", bom + "{}", `{"a":1}`, "{\n\t\"mcpServers\": {\r\n}}", `{"mcpServers":{"ios-agent":{"command":"x","env":{"A":"b"}}}}`,
		"{\n  \"mcpServers\": {\"ios-agent\": {}},\n  \"permissions\": {\"allow\": [ ]}\n}", `{"mcpServers":[]}`, `{"\"":[{"}":"]"}]}`,
		"{\"permissions\":{\"allow\":[\n\"é\",\n\"x\"]}}", `{"a":{},"a":{"b":[]}}`, "{ \n }", `{"\ud800":"\\"}`, "{\"\xff\":0}",
	} {
		f.Add([]byte(seed), "mcp__ios-agent")
	}
	f.Fuzz(func(t *testing.T, text []byte, value string) {
		set := []string{"mcpServers", "ios-agent", "command"}
		add := []string{"permissions", "allow"}
		tryJSON(t, text, func(d *document) error { return d.set(set, quote(value)) }, func(root map[string]any) {
			deep(deep(root, "mcpServers"), "ios-agent")["command"] = decoded(t, quote(value))
		})
		tryJSON(t, text, func(d *document) error { return d.add(add, value) }, func(root map[string]any) {
			p := deep(root, "permissions")
			list, _ := p["allow"].([]any)
			p["allow"] = append(list, decoded(t, quote(value)))
		})
	})
}

func tryJSON(t *testing.T, text []byte, change func(*document) error, model func(map[string]any)) {
	d, err := openDocument(text, false)
	if err != nil {
		return
	}
	before := d.bytes()
	if err := change(d); err != nil {
		return
	}
	after := d.bytes()
	want, got := object(t, before), object(t, after)
	model(want)
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q became %q", before, after)
	}
	if gone := bytes.TrimSpace(replaced(before, after)); len(gone) > 0 && !ofCommand(before, gone) {
		t.Errorf("%q became %q: lost %q", before, after, gone)
	}
}

// replaced is what one edit took away.
func replaced(before, after []byte) []byte {
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return before[head : len(before)-tail]
}

// ofCommand reports whether something is part of the value that was there before ours.
func ofCommand(before, gone []byte) bool {
	d, err := openDocument(before, false)
	if err != nil {
		return false
	}
	v, rest, err := d.find([]string{"mcpServers", "ios-agent", "command"})
	return err == nil && len(rest) == 0 && bytes.Contains(d.text[v.StartOffset:v.EndOffset], gone)
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte(bom)), &root); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return root
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func deep(m map[string]any, key string) map[string]any {
	below, ok := m[key].(map[string]any)
	if !ok {
		below = map[string]any{}
		m[key] = below
	}
	return below
}
