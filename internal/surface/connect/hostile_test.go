package connect

import (
	"testing"

	"ios-agent/internal/machine/yamlfile/yamltest"
)

// TestAHostilePolicyFile: a policy that came with a project costs neither memory nor time, and what it points to is not told.
func TestAHostilePolicyFile(t *testing.T) {
	yamltest.Refuses(t, "deny", func(path string) error {
		_, err := ReadPolicy(path, catalogue())
		return err
	}, map[string]string{
		"not a mapping":     yamltest.Secret + "\n",
		"an unknown key":    yamltest.Secret + ": 1\n",
		"a wrong confirm":   "confirm: " + yamltest.Secret + "\n",
		"a wrong number":    "max_steps: " + yamltest.Secret + "\n",
		"a wrong operation": "deny: [" + yamltest.Secret + "]\n",
	})
}
