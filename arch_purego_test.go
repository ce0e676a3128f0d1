package arch_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPuregoIsLinkedOnlyOnDarwin: a program with purego is linked dynamically, also without cgo. Only the driver of macOS calls C by it.
func TestPuregoIsLinkedOnlyOnDarwin(t *testing.T) {
	const purego = "github.com/ebitengine/purego"
	deps := func(system, what string) []string {
		cmd := exec.Command("go", "list", "-deps", what)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	if slices.Contains(deps("linux", "./..."), purego) {
		t.Errorf("a program for Linux has %s", purego)
	}
	if !slices.Contains(deps("darwin", "./internal/driver/macax"), purego) {
		t.Errorf("the driver of macOS does without %s: so can go.mod", purego)
	}
	for dir, p := range packages(t) {
		if p.imports[purego] && dir != "internal/driver/macax" {
			t.Errorf("%s imports %s: C is called by internal/driver/macax", dir, purego)
		}
	}
}
