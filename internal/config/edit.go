package config

import (
	"maps"
	"reflect"
	"slices"
)

// edit sets the value at a path of keys; a nil value removes the key.
type edit struct {
	path  []string
	value any // a tree
}

// patch applies edits to the text of a document. It splices entries into the lines, so that comments, blank lines, quotes and unknown keys
// stay as they are. It parses the result again, which must mean exactly the requested values. It rewrites a text that it cannot splice
// (such as a file in {} style) without its comments, and kept is then false.
func (d document) patch(edits []edit) (text string, kept bool, err error) {
	want := d.Tree
	for _, e := range edits {
		want = e.apply(want)
	}
	if text := d.spliced(edits); means(text, want) {
		return text, true, nil
	}
	if text := encodeEntries(0, want); !d.Refs && means(text, want) {
		return text, false, nil
	}
	return "", false, &problem{Line: d.LineOf(edits[0].path...), Message: "this way of writing the file cannot be edited by a program"}
}

func means(text string, want map[string]any) bool {
	got, err := parse(text)
	return err == nil && reflect.DeepEqual(got.Tree, want)
}

// apply applies the edit to a copy of the tree.
func (e edit) apply(tree map[string]any) map[string]any {
	out := maps.Clone(tree)
	if out == nil {
		out = map[string]any{}
	}
	key := e.path[0]
	switch {
	case len(e.path) > 1:
		inner, _ := out[key].(map[string]any)
		if inner != nil || e.value != nil {
			out[key] = edit{e.path[1:], e.value}.apply(inner)
		}
	case e.value == nil:
		delete(out, key)
	default:
		out[key] = e.value
	}
	return out
}

// spliced returns the text with all edits, or "" when one of them cannot be spliced; patch then finds that the text differs from the
// requested values.
func (d document) spliced(edits []edit) string {
	text := d.Text
	for _, e := range edits {
		doc, err := parse(text)
		if err != nil {
			return ""
		}
		if text, err = doc.splice(e); err != nil {
			return ""
		}
	}
	return text
}

// nest wraps a value in the keys of a path.
func nest(path []string, value any) any {
	for _, key := range slices.Backward(path) {
		value = map[string]any{key: value}
	}
	return value
}
