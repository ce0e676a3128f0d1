package pool

import "testing"

func TestSameOSComparesVersionPrefixes(t *testing.T) {
	for _, c := range []struct {
		has, asked string
		want       bool
	}{
		{"iOS 18.2", "18", true}, {"iOS 18.2", "18.2", true}, {"iOS 18.2", "iOS 18.2", true}, {"iOS 18.2", "ios 18", true},
		{"iOS 18.2", "18.6", false}, {"iOS 18.2", "18.", false}, {"iOS 18.2", "iOS", false}, {"iOS 18.2", "", false},
		{"iOS 18.2.1", "18.2", true}, {"iOS 18.20", "18.2", false}, {"iOS 180.1", "18", false}, {"watchOS 11.2", "iOS 11.2", false},
		{"watchOS 11.2", "11.2", true},
	} {
		if got := SameOS(c.has, c.asked); got != c.want {
			t.Errorf("SameOS(%q, %q) = %v", c.has, c.asked, got)
		}
	}
}
