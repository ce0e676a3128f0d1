package settings

import (
	"fmt"
	"strings"
	"testing"
)

// TestPagesShowEverySettingOnce: the pages have every setting once and whole; a filter is a word or a pattern.
func TestPagesShowEverySettingOnce(t *testing.T) {
	list := func() *List {
		l := &List{Targets: []Target{{Target: "App", Action: "build", Settings: map[string]string{"LONG": strings.Repeat("x", 9000)}}}}
		for i := range 300 {
			l.Targets[0].Settings[fmt.Sprintf("SWIFT_OPTION_%d", i)] = "YES"
		}
		return l
	}
	pages := list().Pages(2000)
	all := strings.Join(pages, "\n") + "\n"
	if len(pages) < 5 || strings.Count(all, " = ") != 301 || !strings.Contains(all, "App (build): 301 settings\n") ||
		!strings.Contains(all, "LONG = "+strings.Repeat("x", 9000)+"\n") {
		t.Errorf("%d pages with %d settings", len(pages), strings.Count(all, " = "))
	}
	for filter, want := range map[string]int{"": 301, "swift": 300, "long": 1, "SWIFT_OPTION_?": 10, "*_29?": 10, "OPTION_?": 0, "[*": 0} {
		l := list()
		l.Only(filter)
		if got := len(l.Targets[0].Settings); got != want {
			t.Errorf("%q keeps %d settings, want %d", filter, got, want)
		}
	}
}
