package audit

import (
	"fmt"
	"strings"

	"ios-agent/internal/ui"
)

// missingLabels finds elements without a label. The content of a row names the row, the placeholder of an empty field names the field.
func (l *look) missingLabels() (all []Finding) {
	for _, e := range l.judged() {
		if says(e.Label) || e.TakesText() && says(e.Placeholder) || e.Type == "PickerWheel" && says(e.Value) ||
			(rows[e.Type] || e.OnlyGroups()) && len(texts(e.Node)) > 0 {
			continue
		}
		severity := Error
		if e.Type == "Image" || rows[e.Type] || e.TakesText() {
			severity = Warning
		}
		all = append(all, l.found("missing-label", severity, e.Node, "the "+e.Role()+" has no label", l.label(e)))
	}
	return all
}

func says(text string) bool { return strings.TrimSpace(text) != "" }

func (l *look) missingIdentifiers() (all []Finding) {
	for _, e := range l.judged() {
		if e.Identifier != "" || !l.owned(e) {
			continue
		}
		severity := Warning
		if e.Type == "Image" || e.bar || rows[e.Type] {
			severity = Note // its place in a bar or its content identifies it
		}
		all = append(all, l.found("missing-identifier", severity, e.Node, describe(e)+" has no identifier", l.identify(e)))
	}
	return all
}

// duplicateIdentifiers checks actionable elements, images and texts. A container that passes its identifier on does not count.
func (l *look) duplicateIdentifiers() (all []Finding) {
	same := map[string][]*element{}
	for _, e := range l.elements {
		if e.Identifier != "" && l.apparent(e) && l.owned(e) && (e.Interactive() || e.Type == "Image" && !e.inner || e.Role() == "text") {
			same[e.Identifier] = append(same[e.Identifier], e)
		}
	}
	for _, e := range l.elements {
		group := same[e.Identifier]
		if len(group) < 2 || !has(group, e) {
			continue
		}
		severity, taps := Warning, 0
		for _, other := range group {
			if other.Interactive() {
				taps++
			}
		}
		if taps > 1 {
			severity = Error
		}
		all = append(all, l.found("duplicate-identifier", severity, e.Node,
			fmt.Sprintf("%d elements have the identifier %s", len(group), ui.Quote(e.Identifier)), l.identify(e)))
	}
	return all
}

func has(all []*element, e *element) bool {
	for _, other := range all {
		if other == e {
			return true
		}
	}
	return false
}

// changingIdentifiers finds identifiers with a number, a date or a price outside the key, identifiers that equal the element's text,
// identifiers that differ by a number only, and identifiers that changed since an earlier look.
func (l *look) changingIdentifiers() (all []Finding) {
	alike := map[string]map[string]bool{} // identifiers by their text without digits
	for id := range l.taken {
		if base := general(keyless(id)); base != "" {
			if alike[base] == nil {
				alike[base] = map[string]bool{}
			}
			alike[base][strings.ToLower(keyless(id))] = true
		}
	}
	for _, e := range l.judged() {
		if e.Identifier == "" || !l.owned(e) {
			continue
		}
		base, why := keyless(e.Identifier), ""
		earlier, was := l.memory.earlier(l, e)
		switch {
		case changes(base) != "":
			why = "has " + changes(base) + " in it"
		case e.Identifier == e.Label || e.Identifier == e.Value || e.Identifier == e.Placeholder:
			why = "is its visible text, and texts are translated and edited"
		case len(alike[general(base)]) > 1:
			why = "differs from another one by a number only"
		case was && earlier.identifier != "" && keyless(earlier.identifier) != base:
			why = "was " + ui.Quote(earlier.identifier) + " on an earlier look"
		}
		if why != "" {
			all = append(all, l.found("changing-identifier", Warning, e.Node, "the identifier "+ui.Quote(e.Identifier)+" "+why, l.identify(e)))
		}
	}
	return all
}

// changingNames checks only elements that nothing but their name identifies.
func (l *look) changingNames() (all []Finding) {
	for _, e := range l.judged() {
		if e.Identifier != "" || !says(e.Label) || !e.Interactive() || !l.owned(e) {
			continue
		}
		why := ""
		if what := changes(e.Label); what != "" {
			why = "has " + what + " in it"
		} else if earlier, was := l.memory.earlier(l, e); was && earlier.identifier == "" && earlier.label != e.Label {
			why = "was " + ui.Quote(earlier.label) + " on an earlier look"
		}
		if why != "" {
			all = append(all, l.found("changing-name", Note, e.Node,
				"the name "+ui.Quote(e.Label)+" "+why+", and the identifier is missing", l.identify(e)))
		}
	}
	return all
}

// duplicateNames checks elements to tap. Fields are exempt: the text beside them distinguishes them.
func (l *look) duplicateNames() (all []Finding) {
	same := map[string][]*element{}
	labels := map[string]bool{}
	for _, e := range l.elements {
		labels[e.Label] = true
	}
	for _, e := range l.acted() {
		if says(e.Label) && !e.TakesText() {
			same[e.Label] = append(same[e.Label], e)
		}
	}
	for _, e := range l.acted() {
		group := same[e.Label]
		if len(group) < 2 || !has(group, e) || nested(group) {
			continue
		}
		severity := Note
		if e.Identifier == "" || l.taken[e.Identifier] > 1 {
			severity = Warning
		}
		label := e.Label
		if of := l.beside(e); e.row != nil && of != "" && of != e.Label {
			label = e.Label + ", " + of
		}
		for i := 2; labels[label]; i++ {
			label = fmt.Sprintf("%s %d", e.Label, i)
		}
		all = append(all, l.found("duplicate-name", severity, e.Node,
			fmt.Sprintf("%d elements to tap have the name %s", len(group), ui.Quote(e.Label)),
			Fix{Say: "add its subject to the label: " + ui.Quote(label), Label: label, Swift: swiftCall("accessibilityLabel", label)}))
	}
	return all
}

// nested reports whether the elements lie in one another: a tap on one is a tap on all.
func nested(group []*element) bool {
	for i := 1; i < len(group); i++ {
		if !within(group[i].Node, group[i-1].Node) {
			return false
		}
	}
	return true
}

func within(n, of *ui.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n == of {
			return true
		}
	}
	return false
}
