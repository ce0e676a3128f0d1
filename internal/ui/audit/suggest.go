package audit

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// kindWords are words of an identifier that name an element's kind rather than its purpose.
var kindWords = strings.Fields("button btn field text view image img icon cell row switch toggle label control link item")

// mostKey is the maximum length of a suggested key; a developer has a better one.
const mostKey = 24

// identify is the fix that gives an element an identifier by the scheme of docs/identifiers.md: screen.element, in a list with the key of
// its row. The identifier is unique on the screen.
func (l *look) identify(e *element) Fix {
	base, key := l.part(e)+"."+l.elementName(e), l.rowKey(e)
	id := base
	if key != "" {
		id = base + "[" + key + "]"
		key += "-"
	}
	for i := 2; !l.free(e, id); i++ {
		id = fmt.Sprintf("%s[%s%d]", base, key, i)
	}
	l.promised[id] = e
	swift := fmt.Sprintf(".accessibilityIdentifier(%q)", id)
	say := "give it the identifier " + id
	if base != id {
		swift = fmt.Sprintf(`.accessibilityIdentifier("%s[\(item.id)]")`, base)
		say += "; choose the key in brackets, such as the id of the row's item"
	}
	return Fix{Say: say, Swift: swift, Identifier: id}
}

// part is the screen's part of an identifier. The tabs of an app belong to no screen.
func (l *look) part(e *element) string {
	for p := e.Parent(); e.bar && p != nil; p = p.Parent() {
		if p.Type == "TabBar" {
			return "tabs"
		}
	}
	return l.name
}

// describe names an element in a message; an element without a name is described by its text.
func describe(e *element) string {
	if text := first(texts(e.Node)); e.Name() == "" && text != "" {
		return e.Role() + " with " + ui.Quote(text)
	}
	return e.Describe()
}

// free reports whether an identifier would be unique on the screen, also among the suggested ones, and equals none of the element's texts.
func (l *look) free(e *element, id string) bool {
	return l.taken[id] == 0 && (l.promised[id] == nil || l.promised[id] == e) && id != e.Label && id != e.Value && id != e.Placeholder
}

// elementName is the element's purpose, from its label, its placeholder or its text; else its type.
func (l *look) elementName(e *element) string {
	if rows[e.Type] {
		return "row"
	}
	said := words(e.Name())
	if len(said) == 0 && len(e.Children) > 0 {
		if below := texts(e.Node); len(below) > 0 {
			said = words(below[0])
		}
	}
	if e.row != nil && e.row != e.Node { // "Add Coffee" in the row of coffee is "add"
		if of := words(first(texts(e.row))); len(of) > 0 && len(of) < len(said) {
			said = slices.DeleteFunc(said, func(w string) bool { return slices.Contains(of, w) })
		}
	}
	if name := camel(said); name != "" {
		return name
	}
	return strings.ToLower(e.Type[:1]) + e.Type[1:]
}

// rowKey is a key for an element in a list row; empty outside a list.
func (l *look) rowKey(e *element) string {
	if e.row == nil {
		return ""
	}
	text := first(texts(e.row))
	if keep := strings.IndexByte(text, '\n'); keep >= 0 {
		text = text[:keep]
	}
	runes := []rune(text)
	if key := Key(string(runes[:min(len(runes), mostKey)])); strings.Trim(key, "_") != "" {
		return key
	}
	return "1"
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// label is the fix that gives an element a label: from its identifier, its row or the text before it; else from its type.
func (l *look) label(e *element) Fix {
	said := words(keyless(e.Identifier))
	if _, last, dotted := strings.Cut(keyless(e.Identifier), "."); dotted {
		said = words(last)
	}
	if kept := slices.DeleteFunc(slices.Clone(said), func(w string) bool { return slices.Contains(kindWords, w) }); len(kept) > 0 {
		said = kept
	}
	text := sentence(said)
	if text == "" {
		text = l.beside(e)
	}
	if text == "" {
		text = sentence(words(e.Type))
	}
	fix := Fix{
		Say: "give it a label that names its purpose, such as " + ui.Quote(text), Label: text, Swift: swiftCall("accessibilityLabel", text),
	}
	if e.Type == "Image" {
		fix.Say += "; if it is decoration, hide it: .accessibilityHidden(true)"
	}
	return fix
}

// beside is the text that a person would read as the element's label: the text of its row, or the text before it.
func (l *look) beside(e *element) string {
	if e.row != nil {
		return strings.TrimSpace(ui.Inline(first(texts(e.row))))
	}
	if p := e.Parent(); p != nil {
		for i := slices.Index(p.Children, e.Node) - 1; i >= 0; i-- {
			if c := p.Children[i]; c.Type == "StaticText" && strings.TrimSpace(c.Label) != "" {
				return strings.TrimSpace(ui.Inline(c.Label))
			}
		}
	}
	return ""
}

// swiftCall is a modifier with one text.
func swiftCall(modifier, text string) string { return "." + modifier + "(" + ui.Quote(text) + ")" }
