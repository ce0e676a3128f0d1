package jsondoc

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type thing struct {
	Name  string `json:"name,omitempty"`
	Count int    `json:"count,omitempty"`

	Parts []thing          `json:"parts,omitempty"`
	By    map[string]thing `json:"by,omitempty"`
	Other *thing           `json:"other,omitempty"`
	Extra Extra            `json:"-"`
}

func TestEncodeKeepsUnknownFields(t *testing.T) {
	for _, in := range []string{
		`{"name":"a","count":2}`, `{"name":"","count":0}`, `{"count":"two","name":null}`,
		`{"ecid":18446744073709551615,"name":"x","deep":{"a":[1,2.50]}}`, `{}`,
		`{"parts":[{"name":"a","x":1},{}],"by":{"k":{"y":[null]}},"other":{"parts":[{"z":{}}]}}`,
		`{"parts":[null]}`, `{"parts":[{"name":"a"},7]}`,
		`{"parts":[],"by":{},"other":null}`, `{"by":{"k":null}}`, `{"other":[]}`, `{"other":{"other":{"name":"deep","<":"&"}}}`,
	} {
		var got thing
		if err := Decode([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		out, err := Encode(got)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		var a, b any
		_ = json.Unmarshal([]byte(in), &a)
		_ = json.Unmarshal(out, &b)
		if !reflect.DeepEqual(a, b) || strings.Contains(in, "ecid") && !strings.Contains(string(out), "18446744073709551615") {
			t.Errorf("%s became %s", in, out)
		}
	}
	if err := Decode([]byte(`[{}]`), new(thing)); err == nil {
		t.Error("an array was taken for an object")
	}
}

func TestBodyFindsJSONInOutput(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\":1}":                         "{\"a\":1}",
		"Devices:\nName  State\n{ \"a\":1}": "{ \"a\":1}",
		"\xef\xbb\xbf[{}]":                  "[{}]",
		"[15:47:28]: x\n":                   "",
		"{ platform:iOS }":                  "",
		"{\n\tApplicationType = User;}":     "",
		"":                                  "",
	} {
		if got := string(Body([]byte(in))); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestLookDescribesTopLevelKeys(t *testing.T) {
	o := Look([]byte("{\"a\":1,\"b\":{\"c\":[]}}\n{\"d\":1}"))
	if o.Kind != '{' || !o.Has("a", "b") || o.Sub["b/c"] != "array" || !o.Next || o.HasAny("d", "x") {
		t.Errorf("%+v", o)
	}
	if o := Look([]byte(`[{"x":"y"},{}]`)); o.Kind != '[' || o.Keys["x"] != "string" {
		t.Errorf("%+v", o)
	}
	if o := Look([]byte(`{"a":1,"b":{"c":[1,`)); !o.Has("a") || o.Has("b") {
		t.Errorf("broken off: %+v", o)
	}
}

func FuzzLook(f *testing.F) {
	f.Add([]byte(`x` + "\n" + `{"a":{"b":1}} {"c":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = Look(b)
		var v thing
		if Decode(b, &v) == nil {
			if _, err := Encode(v); err != nil {
				t.Fatalf("%q cannot be written again: %v", b, err)
			}
		}
	})
}

func TestTakeRemovesFieldOfMatchingType(t *testing.T) {
	var e Extra
	if err := json.Unmarshal([]byte(`{"name":"a","empty":"","null":null,"number":7}`), &e); err != nil {
		t.Fatal(err)
	}
	var name, empty, null, number string
	for key, c := range map[string]struct {
		to   *string
		want bool
	}{"name": {&name, true}, "empty": {&empty, true}, "null": {&null, false}, "number": {&number, false}, "missing": {&null, false}} {
		if got := Take(e, key, c.to); got != c.want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if name != "a" || len(e) != 2 || string(e["number"]) != "7" || string(e["null"]) != "null" {
		t.Errorf("%q, left %v", name, e)
	}
	if (Extra{}).Rest() != nil || e.Rest() == nil {
		t.Error("Rest is nil when nothing is left, and only then")
	}
}
