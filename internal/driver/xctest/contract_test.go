package xctest_test

import (
	"flag"
	"os"
	"testing"

	"ios-agent/internal/driver/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// TestContract drives the contract of a touch screen through programs, and keeps the support matrix true.
func TestContract(t *testing.T) {
	t.Parallel()
	r := newPrograms(t)
	matrix := "# What drivers can do\n\nWritten by the driver contract (`internal/driver/drivertest`): each ability was tried on the" +
		" Conformance app. The xctest\ndriver was tried over Virtual Xcode, not over a Mac.\n\n" +
		drivertest.Table("xctest", drivertest.Run(t, r.Phone))
	const file = "../../../docs/support.md"
	if *update {
		r.Must(os.WriteFile(file, []byte(matrix), 0o644))
	}
	if was, err := os.ReadFile(file); err != nil || string(was) != matrix {
		t.Errorf("docs/support.md is not what the contract says (go test -update writes it): %v\n%s", err, matrix)
	}
}
