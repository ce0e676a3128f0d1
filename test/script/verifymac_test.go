package script

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestVerifyMacNeedsAMac makes sure that the script says what it needs, and does nothing, where that is missing.
func TestVerifyMacNeedsAMac(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("here it would drive a simulator")
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "need macOS and Xcode"},
		{[]string{"--replay", "no-such-file"}, "there is no file no-such-file"},
		{[]string{"--nonsense"}, "usage: "},
	} {
		out, err := exec.CommandContext(t.Context(), "../../scripts/verify-mac", c.args...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), c.says) {
			t.Errorf("verify-mac %q: %v, %s", c.args, err, out)
		}
	}
}
