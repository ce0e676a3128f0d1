package house

import (
	"strings"
	"testing"
)

// TestRestoreUndoesPrepareAfterRestart: what prepare sets is undone by restore, also after the daemon was another one, and the answer tells
// it.
func TestRestoreUndoesPrepareAfterRestart(t *testing.T) {
	t.Parallel()
	h := New(t)
	h.Boot("a", "com.iosagent.shop")
	restore := map[string]any{"restore": true}
	said := func(text string, input any) {
		t.Helper()
		if e := h.Must("a", "prepare_device", input); !strings.Contains(e.Stdout, text) {
			t.Errorf("%q, want %q", e.Stdout, text)
		}
	}
	said("nothing to restore on iPhone 16: it was not prepared", restore)
	said("19 of 19 settings made on iPhone 16", nil)
	h.Restart()
	said("19 of 19 settings restored on iPhone 16", restore)
	said("nothing to restore", restore)
}
