package ui_test

import (
	"testing"

	"ios-agent/internal/ui"
)

// A label is found by what a person reads, however it is spelled in Unicode.
func TestLabelsMatchAcrossUnicodeForms(t *testing.T) {
	const composed, apart = "Delete caf\u00e9", "Delete cafe\u0301"
	for name, c := range map[string]struct{ label, asked string }{
		"accent apart, asked in one":        {apart, composed},
		"accent in one, asked apart":        {composed, apart},
		"case and accent":                   {apart, "DELETE CAF\u00c9"},
		"a character of no width inside":    {"Delete\u200b caf\u00e9", composed},
		"a direction mark around it":        {"\u2068Delete caf\u00e9\u2069", composed},
		"a soft hyphen":                     {"De\u00adlete caf\u00e9", composed},
		"a picture with its selector":       {"Love \u2764\ufe0f", "love \u2764"},
		"a family joined with no width":     {"\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"},
		"syllables in their parts (jamo)":   {"\u1112\u1161\u11ab", "\ud55c"},
		"the sign for kelvin is the letter": {"5 \u212a", "5 k"},
	} {
		t.Run(name, func(t *testing.T) {
			s := screen(app(button(c.label, 100), button("Keep", 200)))
			for _, q := range []ui.Query{{Label: c.asked}, {Contains: c.asked}, {Name: c.asked}, ui.Naming(c.asked)} {
				n, err := (&ui.Refs{}).Find(q, phone, s)
				if err != nil || n.Label != c.label {
					t.Errorf("%s: %v", q, err)
				}
			}
			if found := s.Match(ui.Query{Name: c.asked}); len(found) != 1 || found[0].Label != c.label {
				t.Errorf("%d elements match the name %q", len(found), c.asked)
			}
			if len(s.Named(c.asked)) != 1 {
				t.Errorf("nothing is called %q", c.asked)
			}
		})
	}
}

// An accent makes another word: it is spelled two ways, not left out.
func TestAccentMakesLabelsDifferent(t *testing.T) {
	s := screen(app(button("Delete caf\u00e9", 100), button("Delete cafe", 200)))
	n, err := (&ui.Refs{}).Find(ui.Query{Label: "delete cafe"}, phone, s)
	if err != nil || n.Label != "Delete cafe" {
		t.Errorf("found %v, %v", n, err)
	}
}
