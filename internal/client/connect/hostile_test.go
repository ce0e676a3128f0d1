package connect

import (
	"testing"

	"ios-agent/test/hostiledoc"
)

// TestHostilePolicyFileIsRefused: a policy that came with a project costs neither memory nor time, and what it points to is not told.
func TestHostilePolicyFileIsRefused(t *testing.T) {
	hostiledoc.Refuses(t, "deny", func(path string) error {
		_, err := ReadPolicy(path, catalogue())
		return err
	}, map[string]string{
		"not a mapping":     hostiledoc.Secret + "\n",
		"an unknown key":    hostiledoc.Secret + ": 1\n",
		"a wrong confirm":   "confirm: " + hostiledoc.Secret + "\n",
		"a wrong number":    "max_steps: " + hostiledoc.Secret + "\n",
		"a wrong operation": "deny: [" + hostiledoc.Secret + "]\n",
	})
}
