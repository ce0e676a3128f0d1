package applejson_test

import (
	"encoding/json"
	"iter"
	"reflect"
	"testing"

	"ios-agent/internal/virtualxcode/applejson"
)

// pairs are an object in an order that is not the alphabet's.
type pairs []string

func (p pairs) Members() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i := 0; i+1 < len(p) && yield(p[i], p[i+1]); i += 2 {
		}
	}
}

func TestJSONIsWrittenInAppleStyles(t *testing.T) {
	value := map[string]any{"b": []any{1, "x/y"}, "a": map[string]any{}, "c": pairs{"z", "1", "y", "<é>"}, "d": nil, "e": []any{}}
	const sorted = `{
  "a" : {

  },
  "b" : [
    1,
    "x\/y"
  ],
  "c" : {
    "z" : "1",
    "y" : "<é>"
  },
  "d" : null,
  "e" : [

  ]
}
`
	if got := applejson.Encode(value); got != sorted {
		t.Errorf("%s", got)
	}
	short := applejson.Style{PlainSlashes: true, ShortEmpty: true}
	if got := short.Encode([]any{map[string]any{"a": []any{}, "b": "x/y"}}); got != "[\n  {\n    \"a\" : [],\n    \"b\" : "+
		"\"x/y\"\n  }\n]\n" {
		t.Errorf("%s", got)
	}
	if got := short.Line(value); got != `{"a":{},"b":[1,"x/y"],"c":{"z":"1","y":"<é>"},"d":null,"e":[]}` {
		t.Errorf("%s", got)
	}
}

// FuzzEncode: whatever the strings, what is printed reads back as what was given.
func FuzzEncode(f *testing.F) {
	f.Add("a/b", "<\"\\\u2028>", true, false)
	f.Fuzz(func(t *testing.T, key, text string, plain, short bool) {
		raw, err := json.Marshal([]string{key, text}) // repairs what is not UTF-8, as the printer does
		var fixed []string
		if err != nil || json.Unmarshal(raw, &fixed) != nil {
			t.Skip("no JSON at all")
		}
		want := map[string]any{fixed[0]: []any{fixed[1], map[string]any{}, []any{}}}
		s := applejson.Style{PlainSlashes: plain, ShortEmpty: short}
		for _, printed := range []string{s.Encode(want), s.Line(want)} {
			var got map[string]any
			if err := json.Unmarshal([]byte(printed), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %v %v", printed, err, got)
			}
		}
	})
}
