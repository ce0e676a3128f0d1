package audit

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// kindWords are the words of an identifier that say what an element is, and not what it is for.
var kindWords = strings.Fields("button btn field text view image img icon cell row switch toggle label control link item")

// mostKey bounds the key that is suggested; a developer has a better one.
const mostKey = 24

// identify is the fix that gives an element an identifier by the scheme of docs/identifiers.md: screen.element, in a list with the key of
// its row. No other element of the screen has it.
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
		say += "; the key in brackets is yours, such as the id of what the row shows"
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

// describe names an element in a message; one without a name by what it shows.
func describe(e *element) string {
	if text := first(texts(e.Node)); e.Name() == "" && text != "" {
		return e.Role() + " with " + ui.Quote(text)
	}
	return e.Describe()
}

// free reports whether an identifier would name this element alone, also when all others get theirs, and is none of its texts.
func (l *look) free(e *element, id string) bool {
	return l.taken[id] == 0 && (l.promised[id] == nil || l.promised[id] == e) && id != e.Label && id != e.Value && id != e.Placeholder
}

// elementName is what the element is for, in the words of its label, of its placeholder or of what it shows; else its type.
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

// rowKey is a key for what lies in the row of a list; empty: it lies in none.
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

// label is the fix that gives an element a label: in the words of its identifier, of its row or of the text before it; else of its type.
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
		Say: "give it a label that says what it is for, such as " + ui.Quote(text), Label: text, Swift: swiftCall("accessibilityLabel", text),
	}
	if e.Type == "Image" {
		fix.Say += "; if it only adorns, hide it: .accessibilityHidden(true)"
	}
	return fix
}

// beside is the text that a person would read as the element's: of its row, or the one before it.
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
