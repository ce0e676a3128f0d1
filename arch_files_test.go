package arch_test

import (
	"go/ast"
	"strings"
	"testing"
)

// looseFiles are the only places that write files by os.WriteFile, or put them under their name by os.Rename, with the reason why a
// loss of power may leave less than a whole file there. All others go by machine/wholefile, which syncs the file and its folder.
var looseFiles = map[string]string{
	"internal/machine/wholefile/wholefile.go":   "is the place",
	"internal/apple/pbxproj/layout.go":          "projects in folders that are moved into place whole, or that the user asked for",
	"internal/apple/simctl/verbs.go":            "a file that simctl fills",
	"internal/apple/simctl/domain.go":           "a file that defaults reads, and that is removed at once",
	"internal/driver/xctest/stop.go":            "results of a failed start, which the next one replaces",
	"internal/driver/xctest/kit.go":             "a folder of synced files; when its name is lost it is written again",
	"internal/desktop/display/display.go":       "the rules of a display that goes with its process",
	"internal/driver/macax/capture.go":          "a temporary file for screencapture",
	"internal/device/film/move.go":              "a recording that somebody else wrote",
	"internal/machine/host/outputfiles.go":      "outputs of a replayed program",
	"internal/machine/host/registry.go":         "about processes: a loss of power ends them too",
	"internal/machine/host/transcriptwriter.go": "recordings; a part that is not whole is told by its name",
	"internal/machine/resident/log.go":          "the old half of a log",
	"internal/machine/store/newer.go":           "a copy in a temporary folder",
	"internal/machine/store/store.go":           "a damaged file that is set aside",
	"internal/network/hostproxy/undo.go":        "a journal that cannot be read, set aside",
}

// TestOnlyListedFilesCallOSWriteFile: what must survive a loss of power is synced before it has its name.
func TestOnlyListedFilesCallOSWriteFile(t *testing.T) {
	used := map[string]bool{}
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "internal/virtualxcode") {
			continue
		}
		for i, file := range p.files {
			name := p.names[i]
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok || call.Sel.Name != "Rename" && call.Sel.Name != "WriteFile" {
					return true
				}
				if of, ok := call.X.(*ast.Ident); !ok || of.Name != "os" {
					return true
				}
				if used[name] = true; looseFiles[name] == "" {
					t.Errorf("%s uses os.%s: write it with machine/wholefile, or say here why it need not last", name, call.Sel.Name)
				}
				return true
			})
		}
	}
	for name := range looseFiles {
		if !used[name] {
			t.Errorf("%s may write loose files but does not", name)
		}
	}
}
