package setup

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// TestJSONCEditKeepsComments: what people write beside their settings stays where they wrote it, and so does the comma they like at the
// end.
func TestJSONCEditKeepsComments(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"before and after": {"// mine\n{\n  // a\n  \"x\": 1 // one\n  // last\n}\n// end\n",
			"// mine\n{\n  // a\n  \"x\": 1, // one\n  \"a\": {\n    \"b\": 1\n  }\n  // last\n}\n// end\n"},
		"a comma at the end": {"{\n  \"x\": 1,\n}", "{\n  \"x\": 1,\n  \"a\": {\n    \"b\": 1\n  },\n}"},
		"a comma and a comment": {"{\n  \"x\": 1, // one\n}",
			"{\n  \"x\": 1, // one\n  \"a\": {\n    \"b\": 1\n  },\n}"},
		"a comment, then a comma": {"{\n  \"x\": 1 /* one */, /* more */\n}",
			"{\n  \"x\": 1 /* one */, /* more */\n  \"a\": {\n    \"b\": 1\n  },\n}"},
		"a comma on the next line": {"{\n  \"x\": 1\n  ,\n}", "{\n  \"x\": 1,\n  \"a\": {\n    \"b\": 1\n  }\n  ,\n}"},
		"nothing but a comment":    {"{\n  // none yet\n}", "{\n  // none yet\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		"a comment in ours":        {"{\"a\": {\"b\": 1 /* one */}}", "{\"a\": {\"b\": 1 /* one */}}"},
		"in one line":              {"{\"x\": 1, }", "{\"x\": 1, \"a\": {\"b\": 1}, }"},
		"a comment to the end of the line": {"{\"x\": 1 // one\n}",
			"{\"x\": 1, // one\n\"a\": {\n  \"b\": 1\n}\n}"},
		"no comment":   {"{\"x\": \"http://h/*,}\"}", "{\"x\": \"http://h/*,}\", \"a\": {\"b\": 1}}"},
		"escaped":      {`{"x": "\\\"//", }`, `{"x": "\\\"//", "a": {"b": 1}, }`},
		"inside lists": {"{\"x\": [1, /* two */ 2,], \"a\": {\"b\": 0,},}", "{\"x\": [1, /* two */ 2,], \"a\": {\"b\": 1,},}"},
	} {
		t.Run(name, func(t *testing.T) {
			set := inJSONC(func(d *document) error { return d.set([]string{"a", "b"}, "1") })
			got, err := set([]byte(c.before))
			if err != nil || string(got) != c.after {
				t.Errorf("%v\ngot  %q\nwant %q", err, got, c.after)
			}
			if again, err := set(got); err != nil || string(again) != string(got) {
				t.Errorf("a second time: %q %v", again, err)
			}
		})
	}
}

// TestBrokenCommentsAreRefused, and cost no more than their length.
func TestBrokenCommentsAreRefused(t *testing.T) {
	for text, line := range map[string]string{
		"{\n  /* no end\n}": "line 2", "{\n,\n}": "line 2", "{\"a\": [,]}": "line 1", "{\"a\": 1,,}": "line 1", "// nothing": "line 1",
		strings.Repeat("/*", 1<<20): "line 1", "{\"a\" / 1}": "line 1",
	} {
		_, err := inJSONC(func(*document) error { return nil })([]byte(text))
		if err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// plain is a text without comments and commas that trail.
func plain(t *testing.T, text []byte) []byte {
	t.Helper()
	out, err := hujson.Standardize(append(bytes.Clone(text), '\n'))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzComments: an edit of what can be read can be read, and done once is done.
func FuzzComments(f *testing.F) {
	for _, text := range []string{"{}", "{/**/}", "// a\n{\"x\": [1,] // b\n}", "{\"a\": {\"b\": 2,},}", "{\n \"x\": 1 /* y */\n ,\n}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set := inJSONC(func(d *document) error { return d.set([]string{"a", "b"}, "1") })
		got, err := set([]byte(text))
		if err != nil {
			return
		}
		d, err := openDocument(got, true)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		var read struct{ A struct{ B int } }
		if err := json.Unmarshal(plain(t, d.text), &read); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if again, err := set(got); err != nil || string(again) != string(got) {
			t.Fatalf("%q, then %q: %v", got, again, err)
		}
	})
}
