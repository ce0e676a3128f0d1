//go:build !linux

package script

import (
	"os"
	"testing"
)

// bePlain wants a user without the rights of root.
func bePlain(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root may write everything; run it as another user")
	}
}
