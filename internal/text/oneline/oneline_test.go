package oneline_test

import (
	"fmt"
	"reflect"
	"testing"

	"ios-agent/internal/text/oneline"
)

func TestOfEscapesLineBreaksAndControlCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ann's iPhone": "Ann's iPhone", "a\nb": `a\nb`, "a\r\nb": `a\nb`, "a\rb": "a\ufffdb",
		"a\u2028b\u2029c\u0085d": "a\ufffdb\ufffdc\ufffdd",
		"\x1b[2K":                "\ufffd[2K", "a\u202eb": "a\ufffdb", "a\tb": "a\tb",
	} {
		if got := oneline.Of(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHeadQuotesTextThatLooksLikeOutput(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Shop": "Shop", "iOS 18.2": "iOS 18.2", "/a/b.swift:3:5": "/a/b.swift:3:5", "a.example: 3": "a.example: 3",
		"next: tap @e1": `"next: tap @e1"`, "APP_NOT_FOUND: x": `"APP_NOT_FOUND: x"`, "hint:": `"hint:"`, "- button": `"- button"`,
		"[virtual]": `"[virtual]"`, "a\nb": `a\nb`,
	} {
		if got := oneline.Head(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestForeignLinesHaveMargin(t *testing.T) {
	if got, want := oneline.Under("a\n\nhint: b\x1b\n"), "| a\n| \n| hint: b\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := oneline.Beside("a\nhint: b\n"), "a\n| hint: b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := oneline.Beside("a"), "a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// inner and outer have a text wherever one can be.
type inner struct{ Name string }

type outer struct {
	inner
	Names  []string
	Pair   [2]string
	Of     map[string]inner
	Any    any
	At     *inner
	Raw    []byte
	Whole  string `lines:"ours"`
	hidden string
}

func (o outer) draw() string {
	return fmt.Sprint(o.Name, o.Names, o.Pair, o.Of, o.Any, o.At.Name, len(o.Raw), o.Whole, o.hidden)
}

func TestDrawEscapesTextsWithoutChangingValue(t *testing.T) {
	value := func() outer {
		return outer{inner{"a\nb"}, []string{"c\nd"}, [2]string{"e\r\nf", ""}, map[string]inner{"g\nh": {"i\nj"}}, inner{"k\nl"}, &inner{"m\nn"},
			[]byte("o\np"), "q\nr", "s\nt"}
	}
	v := value()
	if got, want := oneline.Draw(v, outer.draw), `a\nb[c\nd] [e\nf ] map[g\nh:{i\nj}] {k\nl}m\nn3`+"q\nrs\nt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !reflect.DeepEqual(v, value()) {
		t.Errorf("got %+v, want the value as it was", v)
	}
}

func TestDrawKeepsQuotationsAsTheyWere(t *testing.T) {
	draw := func(i inner) string { return fmt.Sprintf("%q", i.Name) }
	if got, want := oneline.Draw(inner{"a\nb"}, draw), draw(inner{"a\nb"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
