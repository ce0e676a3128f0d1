package config

import (
	"errors"
	"maps"
	"reflect"
	"testing"

	"ios-agent/internal/machine/docfile"
)

var seeds = []string{
	"", "# c\n", "---\n", "a: 1\n", "schemaVersion: 1\nsessionDefaults:\n  scheme: A # c\n\n  env: {A: 1}\n",
	"sessionDefaults: {scheme: A}\nx: [1, {b: c}]\n", "{a: 1}", "a: &x {b: 1}\nsessionDefaults:\n  <<: *x\n", "? a\n: b\n",
	"a: |\n  # x\n\nsessionDefaults:\n- a\n", "a: !!str 1\n", "sessionDefaults:\n  scheme: >-\n    a\n    b\n...\n", "a:\r\n  b: c\r\n",
	"\"a\": 'b'\nsessionDefaults:\n    projectPath: x\n    extraArgs:\n    - a\n", "a: *a\n", "&a a: *a\n",
}

// FuzzParse: no text may panic or hang, and what is wrong has a line.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > docfile.MostYAML {
			return
		}
		doc, err := parse(text)
		if err == nil {
			err = doc.vet()
		}
		var p *problem
		if err != nil && (!errors.As(err, &p) || p.Line < 1) {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			r := &reader{folders: folders{"/p", "/h", theirs}, doc: doc}
			r.read(&config{})
		}
	})
}

// FuzzPatch: an edited file says what the edit says, and all else as before.
func FuzzPatch(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "value")
		f.Add(s, "a: #b\n")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		doc, err := parse(text)
		if err != nil || doc.vet() != nil || len(text) > docfile.MostYAML {
			return
		}
		out, _, err := doc.patch([]edit{
			{[]string{keyGlobal, "scheme"}, toTree(value)}, {[]string{keyGlobal, "projectPath"}, nil}, {[]string{keyActive}, toTree(value)},
		})
		if err != nil {
			return
		}
		after, err := parse(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		check(t, doc.Tree, after.Tree, value)
	})
}

func check(t *testing.T, before, after map[string]any, value string) {
	t.Helper()
	want := scalar{Tag: docfile.TagText, Text: value}
	section, _ := after[keyGlobal].(map[string]any)
	if section["scheme"] != want || after[keyActive] != want {
		t.Errorf("got %v, want %q", after, value)
	}
	for _, tree := range []map[string]any{before, after} {
		maps.DeleteFunc(tree, func(key string, _ any) bool { return key == keyGlobal || key == keyActive })
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("strangers changed: %v, now %v", before, after)
	}
}
