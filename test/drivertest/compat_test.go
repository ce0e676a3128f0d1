package drivertest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestCompatClaimsCoverEverySystem: every claim has a source, what is not sure to work says what helps, and each system is spoken of for
// each kind of device and app.
func TestCompatClaimsCoverEverySystem(t *testing.T) {
	for _, c := range Claims() {
		if wrong := c.check(); wrong != "" {
			t.Errorf("%+v: %s", c, wrong)
		}
	}
	for _, system := range Systems() {
		for _, device := range []string{Simulator, Physical} {
			for _, kind := range AppKinds() {
				if !slices.ContainsFunc(Claims(), func(c Claim) bool {
					return c.First <= system && system <= c.Last && (c.Device == "" || c.Device == device) && slices.Contains(c.Apps, kind)
				}) {
					t.Errorf("nothing is said of %s apps on a %s with iOS %d", kind, device, system)
				}
			}
		}
	}
	for _, bad := range []Claim{
		{First: 15, Last: 27, Xcode: "16", What: "x", Works: "yes", Known: Assumed, Fallback: "y"},
		{First: 15, Last: 27, Xcode: "16", What: "x", Works: "no", Known: Observed, Source: "y"},
		{First: 15, Last: 27, Xcode: "16", What: "x", Works: "yes", Known: "hoped", Source: "y"},
		{First: 19, Last: 27, Xcode: "16", What: "x", Works: "yes", Known: Observed, Source: "y"},
	} {
		if bad.check() == "" {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestSupportDocHasDriverAndClaimTables: the document has the table of drivers and that of claims, and reading the first one stops before
// the second.
func TestSupportDocHasDriverAndClaimTables(t *testing.T) {
	text, err := os.ReadFile("../../docs/support.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), compatText()) {
		t.Error("docs/support.md does not end with what compat.go says: go test ./internal/driver/xctest -run TestContract -update")
	}
	for _, row := range readMatrix(string(text)).abilities {
		if strings.Contains(row, "–") {
			t.Errorf("%q is no ability", row)
		}
	}
}
