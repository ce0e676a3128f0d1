package house

import (
	"os"
	"path/filepath"
	"testing"
)

// TestVideoIsWrittenWhenProductCloses: a daemon that leaves stops the films under way, so that their files are whole.
func TestVideoIsWrittenWhenProductCloses(t *testing.T) {
	t.Parallel()
	h := New(t)
	h.Boot("a", "com.iosagent.shop")
	path := filepath.Join(t.TempDir(), "film.mp4")
	h.Must("a", "record_video", map[string]any{"out": path})
	h.must(h.Product.Close())
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("%v %v", info, err)
	}
}

// TestDerivedDataOfAgentRunsIsRemoved: the derived data of runs go with their agents, and those of a daemon that was killed with the next.
func TestDerivedDataOfAgentRunsIsRemoved(t *testing.T) {
	t.Parallel()
	h := New(t)
	h.Boot("a", "com.iosagent.shop")
	h.Must("a", "snapshot", nil)
	left := filepath.Join(h.Home.Agent(), "runs", "killed", "Logs", "Test", "a.xcresult")
	h.must(os.MkdirAll(left, 0o700))
	h.Restart()
	found, err := filepath.Glob(filepath.Join(h.Home.Agent(), "runs", "*"))
	if err != nil || len(found) != 0 {
		t.Errorf("left: %q, %v", found, err)
	}
}
