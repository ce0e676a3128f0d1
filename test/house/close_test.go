package house

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAFilmIsWrittenWhenTheProductCloses: a daemon that leaves stops the films under way, so that their files are whole.
func TestAFilmIsWrittenWhenTheProductCloses(t *testing.T) {
	h := New(t)
	h.Boot("a", "com.iosagent.shop")
	path := filepath.Join(t.TempDir(), "film.mp4")
	h.Must("a", "record_video", map[string]any{"out": path})
	h.must(h.Product.Close())
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("%v %v", info, err)
	}
}
