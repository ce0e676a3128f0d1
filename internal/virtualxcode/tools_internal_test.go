package virtualxcode

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/mark"
)

// Every row of the table is whole: one way to run it, and marks that are its own.
func TestToolTableRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range frontEnds() {
		if seen[f.name] {
			t.Errorf("%s is there twice", f.name)
		}
		seen[f.name] = true
		if (f.onWorld == nil) == (f.here == nil) {
			t.Errorf("%s must be played either by the service or here", f.name)
		}
		if len(f.marks) == 0 {
			t.Errorf("%s has no marks", f.name)
		}
		if i := slices.IndexFunc(f.marks, func(m mark.Mark) bool { return m.Tool != f.name }); i >= 0 {
			t.Errorf("%s has a mark of %s", f.name, f.marks[i].Tool)
		}
	}
}

// marked finds the tools that some package of Virtual Xcode has marks for: it imitates them.
var marked = regexp.MustCompile(`Tool: +"([\w-]+)"|const tool = "([\w-]+)"`)

// A front end that is in no row of the table is never played: whatever has marks is a tool of the table, or iOS itself.
func TestEveryToolHasAFrontEnd(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range marked.FindAllStringSubmatch(string(source), -1) {
			name := m[1] + m[2]
			found++
			if name != "iOS" && !slices.Contains(Tools(), name) {
				t.Errorf("%s imitates %s, which is not in the table", path, name)
			}
		}
		return err
	})
	if err != nil || found < len(Tools()) {
		t.Error(found, err)
	}
}
