package connect

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Policy limits a decider's actions. It is checked before an action is performed; the decider's cooperation is not needed. The zero value
// allows actions on the screen and on apps, and forbids everything that may lose data or names a file.
type Policy struct {
	Allow     []string // names of operations; only these, also beyond the default offer
	Deny      []string // names of operations; never these
	Apps      []string // bundle ids; only these apps may be in front, launched or ended
	Forbidden []string // elements with one of these texts, in any spelling, must not be touched
	Confirm   string   // never (the default) or always: a person confirms every action
	MaxSteps  int

	noKeys bool // an operation that presses keys is denied, so no action may press one
}

// unsupervised operations would hide actions from the policy, or never end.
func unsupervised(o op.Op) bool { return o.Name == "batch" || o.Streams() }

// offers reports whether an operation may be chosen.
func (p Policy) offers(o op.Op) bool {
	if unsupervised(o) || o.Family != op.Core || slices.Contains(p.Deny, o.Name) || p.noKeys && pressesKeys(o) {
		return false
	}
	if len(p.Allow) > 0 {
		return slices.Contains(p.Allow, o.Name)
	}
	acts := slices.Contains(o.Groups, "ui") || slices.Contains(o.Groups, "app")
	return acts && o.Unattended()
}

func (p Policy) asks() bool { return p.Confirm == "always" }

// app reports whether an app may be driven.
func (p Policy) app(bundle string) error {
	if len(p.Apps) == 0 || slices.Contains(p.Apps, bundle) {
		return nil
	}
	return fault.New(fault.Forbidden, "the policy does not allow the app %q", bundle).
		WithHint("allowed apps: %s", strings.Join(p.Apps, ", "))
}

// check judges a decision on the screen that it was based on.
func (p Policy) check(o op.Op, input map[string]any, l look) error {
	if p.noKeys && slices.Contains(o.Groups, "ui") && !o.Hints.Has(op.ReadOnly) {
		if err := withoutKeys(input, l); err != nil {
			return err
		}
	}
	for _, key := range []string{"bundle_id", "url"} { // launch_app and terminate_app name an app, open_url an app or a URL
		if hasField(o, key) {
			return p.app(text(input, key))
		}
	}
	if l.App != "" && !o.Hints.Has(op.ReadOnly) {
		if err := p.app(l.App); err != nil {
			return err
		}
	}
	if len(p.Forbidden) == 0 || o.Hints.Has(op.ReadOnly) {
		return nil
	}
	return p.texts(input, l)
}

func hasField(o op.Op, name string) bool {
	return slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == name })
}

// texts refuses an action on an element with a forbidden text.
func (p Policy) texts(input map[string]any, l look) error {
	touched, err := l.touched(input)
	if err != nil {
		return err
	}
	if err := p.untouched(touched); err != nil {
		return err
	}
	for _, key := range []string{"button", "answer"} {
		if said := p.forbids(text(input, key)); said != "" {
			return refusedText(said)
		}
	}
	answer := text(input, "answer")
	if input["accept"] == true || input["dismiss"] == true || answer == "accept" || answer == "dismiss" {
		// The action answers an alert, and only the device knows which button it presses.
		return p.untouched(l.ofType("Button"))
	}
	return nil
}

func text(input map[string]any, key string) string {
	s, _ := input[key].(string)
	return s
}

// query are the inputs, except ref, that name an element.
var query = map[string]bool{"identifier": true, "label": true, "contains": true, "type": true, "role": true, "value": true, "index": true,
	"within": true}

func (p Policy) untouched(elements []*element) error {
	for _, e := range elements {
		for _, text := range e.texts() {
			if said := p.forbids(text); said != "" {
				return refusedText(said)
			}
		}
	}
	return nil
}

func refusedText(said string) error {
	return fault.New(fault.Forbidden, "the policy forbids touching an element with the text %q", said).
		WithHint("reach the goal another way, or fail")
}

// forbids returns the forbidden text inside a text, or "".
func (p Policy) forbids(text string) string {
	text = plain(text)
	for _, f := range p.Forbidden {
		if strings.Contains(text, plain(f)) {
			return f
		}
	}
	return ""
}

// plain removes differences that a reader does not see: composition of letters, case, invisible characters, and the kind and number of
// spaces.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unicode.In(r, unseen...) {
			return -1
		}
		return r
	}, s)
	s = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s))) // folding may decompose letters
	return strings.Join(strings.Fields(s), " ")
}

// unseen are the invisible characters: format and control characters, and characters that fonts ignore.
var unseen = []*unicode.RangeTable{unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point}

// touched are the elements that an action touches. An element must be named by its ref: a label could match another element by the time of
// the action.
func (l look) touched(input map[string]any) ([]*element, error) {
	for key := range input {
		if query[key] {
			return nil, fault.New(fault.Forbidden, "this policy requires a ref for an element, not its %s", key).
				WithHint("take the ref from the screen")
		}
	}
	if text(input, "pixels") != "" {
		return nil, fault.New(fault.Forbidden, "this policy requires places in points, not in pixels").
			WithHint("take the ref from the screen")
	}
	var found []*element
	for _, key := range []string{"ref", "onto"} {
		ref := text(input, key)
		if ref == "" {
			continue
		}
		e := l.at(ref)
		if e == nil {
			return nil, fault.New(fault.Forbidden, "%s is not on the screen, so its text is unknown", ref).
				WithHint("take a ref from the screen")
		}
		found = append(found, l.around(e)...)
	}
	for _, point := range [][2]string{{"x", "y"}, {"start_x", "start_y"}, {"end_x", "end_y"}, {"to_x", "to_y"}} {
		x, givenX := input[point[0]].(float64)
		y, givenY := input[point[1]].(float64)
		if givenX || givenY {
			found = append(found, l.under(x, y)...)
		}
	}
	return found, nil
}

// under are the elements at a point.
func (l look) under(x, y float64) []*element {
	var found []*element
	for i := range l.Elements {
		if l.Elements[i].Frame.holds(x, y) {
			found = append(found, &l.Elements[i])
		}
	}
	return found
}

func (l look) ofType(name string) []*element {
	var found []*element
	for i := range l.Elements {
		if strings.HasSuffix(l.Elements[i].Type, name) {
			found = append(found, &l.Elements[i])
		}
	}
	return found
}
