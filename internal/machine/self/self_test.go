package self_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ios-agent/internal/machine/self"
)

func TestCopyIsWholeAndKnowsItsBuild(t *testing.T) {
	build, err := self.Current()
	if err != nil || len(build.ID) != 16 {
		t.Fatalf("%+v %v", build, err)
	}
	dir := filepath.Join(t.TempDir(), build.ID)
	var all sync.WaitGroup
	for range 4 { // many clients start at once
		all.Go(func() {
			if _, err := self.Copy(dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	path, err := self.Copy(dir)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !same(t, mine, path) {
		t.Error("the copy differs")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left overs: %v %v", entries, err)
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y)
}
