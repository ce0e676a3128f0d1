package act

import "testing"

// A field may show a text in a form of its own; that is not another text.
func TestFormattedAcceptsReformattedText(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"1,234,567", "1234567", true},
		{"(555) 010-9999", "5550109999", true},
		{"1\u202f234", "1234", true},
		{"12/26", "1226", true},
		{"1,234,56", "1234567", false},
		{"DE89 3704 0044", "DE8937040044", true},
		{"15", "1.5", false},
		{"1..5", "1.5", false},
		{"1--2", "1-2", false},
		{"7777", "777", false},
		{"a lot", "alot", false},
		{"at 5", "at5", false},
		{"", "", false},
		{"Ada", "ada", false},
	} {
		if formatted(c.got, c.want) != c.same {
			t.Errorf("%q for %q: %t", c.got, c.want, !c.same)
		}
	}
}
