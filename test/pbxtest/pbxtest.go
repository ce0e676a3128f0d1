// Package pbxtest checks the project files that we write with readers of other authors. Check fails unless two readers from npm read the
// same; it skips the test where the readers are missing.
package pbxtest

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
)

// notToBeHad is the script's exit code without a reader of project files; with CI=true the script fails instead.
const notToBeHad = 77

// Check fails unless two readers from npm read the same in the project files, and one of them the schemes. It returns what they
// found. Where the readers are not to be had, the test is skipped; with CI=true it fails.
func Check(t *testing.T, files ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the reader may have to be installed from npm")
	}
	h, err := host.New(host.Options{Inherit: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	_, here, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(here), "../../scripts/pbxproj-check")
	out, err := h.Run(t.Context(), host.Cmd{Name: script, Args: files, Timeout: 3 * time.Minute})
	if out.ExitCode == notToBeHad {
		t.Skip(string(out.Stdout))
	}
	if err != nil {
		t.Errorf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
	return string(out.Stdout)
}
