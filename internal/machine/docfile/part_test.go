package docfile

import (
	"errors"
	"reflect"
	"testing"
)

func TestPartsKeepLinesAndTypes(t *testing.T) {
	doc, err := YAML("b: 1\na:\n  - x\n  - {k: [], l: {}}\n\n\"c d\": |\n  two\n  lines\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := doc.Parts()
	if err != nil {
		t.Fatal(err)
	}
	text := func(line int, tag, text string) Part { return Part{Line: line, Scalar: &Scalar{tag, text}} }
	want := Part{Line: 1, Keys: []Key{
		{"b", 1, text(1, TagNumber, "1")},
		{"a", 2, Part{Line: 3, List: []Part{
			text(3, TagText, "x"),
			{Line: 4, Keys: []Key{{"k", 4, Part{Line: 4, List: []Part{}}}, {"l", 4, Part{Line: 4}}}},
		}}},
		{"c d", 6, text(6, TagText, "two\nlines\n")},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if none, err := (Document{}).Parts(); err != nil || none.Keys != nil {
		t.Errorf("%+v %v", none, err)
	}
	for line, text := range map[int]string{
		1: "a: &x {b: 1}\nc: 1\nd: *x\n", 2: "a: 1\nb: &x 1\n", 4: "a: 1\nb: 2\nc: 3\nd: !!str 1\n", 5: "\n\n\n\n<<: {a: 1}\n",
	} {
		doc, err := YAML(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = doc.Parts()
		if p := (*Problem)(nil); !errors.As(err, &p) || p.Line != line {
			t.Errorf("%q: %v", text, err)
		}
	}
}
