package wholefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/machine/wholefile"
)

// TestReadersSeeWholeFiles writes two different files over each other while somebody reads.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "state")
	long, short := strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<10)
	if err := wholefile.Write(path, []byte(long)); err != nil {
		t.Fatal(err)
	}
	var busy sync.WaitGroup
	for _, text := range []string{long, short} {
		busy.Go(func() {
			for range 200 {
				if err := wholefile.Write(path, []byte(text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 400 {
		if got, err := os.ReadFile(path); err != nil || string(got) != long && string(got) != short {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	busy.Wait()
	entries, err := os.ReadDir(filepath.Dir(path))
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || len(entries) != 1 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v %v", entries, info.Mode(), err, statErr)
	}
}

func TestWriteFailsBelowFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(filepath.Join(file, "below"), nil); err == nil {
		t.Error("wrote below a file")
	}
}
