package connect

import "testing"

// TestForbiddenTextsMatchUnicodeVariants: a text that reads the same is the same.
func TestForbiddenTextsMatchUnicodeVariants(t *testing.T) {
	p := policy(t, `forbidden_texts: ["Delete café", "Delete account", "Straße"]`)
	for text, forbidden := range map[string]bool{
		"delete cafe\u0301":                true,
		"DELETE CAFÉ":                      true,
		"Dele\u200bte acc\u00adount":       true,
		"\u202aDelete\u2069 account\u200f": true,
		"Delete \ufe0faccount":             true,
		"Dele\u034fte account":             true,
		"Ｄｅｌｅｔｅ\u3000ａｃｃｏｕｎｔ":              true,
		"Delete\n\taccount":                true,
		"STRASSE":                          true,
		"Delete cafeteria":                 false,
		"Save":                             false,
	} {
		if got := p.forbids(text) != ""; got != forbidden {
			t.Errorf("%q: %v", text, got)
		}
	}
}
