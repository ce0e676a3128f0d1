package builds

import (
	"fmt"
	"testing"
)

// TestLastRunsAreBounded: callers choose the names of sessions, so only so many are remembered, the latest.
func TestLastRunsAreBounded(t *testing.T) {
	runs := &New(Deps{}).tests
	for i := range mostSessions + 1 {
		runs.keep(fmt.Sprint(i), fmt.Sprintf("/%d.xcresult", i))
	}
	for session, want := range map[int]string{0: "", 1: "/1.xcresult", mostSessions: fmt.Sprintf("/%d.xcresult", mostSessions)} {
		if got, _ := runs.bundle(fmt.Sprint(session), ""); got != want {
			t.Errorf("bundle of session %d = %q, want %q", session, got, want)
		}
	}
}
