package uiread

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const most = 5000

// forms are documents of so many elements: a root, and one list below it or many levels.
var forms = map[string]func(elements int) string{
	"JSON": func(n int) string {
		return `{"type":"Application","children":[` + many(`{"type":"Button"}`, ",", n-1) + `]}`
	},
	"bare JSON":   func(n int) string { return `{"type":"Application","children":[` + many(`{}`, ",", n-1) + `]}` },
	"a flat list": func(n int) string { return `[` + many(`{"type":"Button","AXLabel":"b"}`, ",", n) + `]` },
	"a stream":    func(n int) string { return many(`{"type":"Button","AXLabel":"b"}`, "\n", n) },
	"XML": func(n int) string {
		return `<XCUIElementTypeApplication>` + many(`<XCUIElementTypeButton/>`, "", n-1) + `</XCUIElementTypeApplication>`
	},
	"XML with texts": func(n int) string {
		return `<XCUIElementTypeApplication>` + many(`<XCUIElementTypeButton/>`, "text", n-1) + `</XCUIElementTypeApplication>`
	},
	"columns": func(n int) string { // each a hundred levels deep
		column := strings.Repeat(`{"type":"Other","children":[`, 100) + strings.Repeat(`]}`, 100)
		return `{"type":"Application","children":[{}` + strings.Repeat(","+column, (n-2)/100) + strings.Repeat(`,{}`, (n-2)%100) + `]}`
	},
}

func many(element, between string, n int) string {
	return strings.TrimSuffix(strings.Repeat(element+between, n), between)
}

// A huge tree keeps its first elements, and says how many it lost.
func TestHugeTreeIsBounded(t *testing.T) {
	for name, form := range forms {
		for _, size := range []int{10, most, most + 1, 40_000, 300_000} {
			tree, err := ReadSome(t.Context(), []byte(form(size)), most)
			if err != nil {
				t.Errorf("%s of %d elements: %v", name, size, err)
				continue
			}
			if kept, want := tree.Nodes(), min(size, most); kept != want || tree.Left != size-want {
				t.Errorf("%s of %d elements: got %d kept and %d left out, want %d and %d", name, size, kept, tree.Left, want, size-want)
			}
		}
	}
}

// What is left out costs nothing but the time to pass over it: a document of many more elements takes hardly more memory.
func TestElementsBeyondTheBoundAreCountedOnly(t *testing.T) {
	for _, c := range []struct{ name, inside string }{
		{"elements", `{"type":"Button"}`}, {"values of an element", `"b"`}, {"objects in an element", `{"a":1}`},
	} {
		kept := func(n int) (values, members int) {
			read := newValues([]byte(`{"type":"Button","traits":[`+many(c.inside, ",", n)+`]}`), place{}, &bound{nodes: 10})
			v, err := read.next()
			if err != nil {
				t.Fatal(err)
			}
			traits, _ := v.(object).get("traits")
			return read.kept, len(traits.([]any))
		}
		values, members := kept(100_000)
		if values > 11*eachNode || members > 11*eachNode {
			t.Errorf("%s: got %d values kept and %d in a list, want at most %d", c.name, values, members, 11*eachNode)
		}
	}
}

// A document that says the same of itself again and again is read in proportion to its length: only some of it is kept.
func TestDocumentFactsAreBounded(t *testing.T) {
	tree, err := ReadSome(t.Context(), []byte(`<w>`+many(`<w/>`, "text", 10_000)+`<XCUIElementTypeButton/></w>`), most)
	if err != nil || len(tree.Document) > mostFacts || tree.Nodes() != 1 {
		t.Errorf("got %d facts and %d elements, %v; want at most %d and one", len(tree.Document), tree.Nodes(), err, mostFacts)
	}
}

// leaving is the context of somebody who leaves after so many questions.
type leaving struct {
	context.Context
	asked, after int
}

func (l *leaving) Err() error {
	if l.asked++; l.asked > l.after {
		return context.Canceled
	}
	return nil
}

// A caller who leaves is heard within a bounded number of steps, wherever the reading is.
func TestReadingStopsWhenCallerLeaves(t *testing.T) {
	for name, form := range forms {
		document := []byte(form(40_000))
		for _, after := range []int{0, 1, 7} {
			ctx := &leaving{Context: t.Context(), after: after}
			tree, err := ReadSome(ctx, document, most)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v after %d questions, want that the caller left", name, err, after)
			}
			if steps := tree.bound.steps; ctx.asked > after+3 || steps > between*(after+1) {
				t.Errorf("%s: got %d questions and %d steps, want at most %d and %d", name, ctx.asked, steps, after+3, between*(after+1))
			}
		}
	}
}
