package arch_test

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// TestFuzzedPackagesDoNotImportSQLite: a fuzzer compiles everything that a package and its tests import once more, with its instruments.
// For SQLite, which is C made into Go, that takes minutes. Tests that need it stand in another package than the fuzz target.
func TestFuzzedPackagesDoNotImportSQLite(t *testing.T) {
	all := packages(t)
	var reaches func(dir string, seen map[string]bool) string
	reaches = func(dir string, seen map[string]bool) string {
		if seen[dir] || all[dir] == nil {
			return ""
		}
		seen[dir] = true
		for name := range all[dir].imports {
			if strings.HasPrefix(name, "modernc.org/sqlite") {
				return dir
			}
			if ours, is := strings.CutPrefix(name, module); is {
				if by := reaches(ours, seen); by != "" {
					return by
				}
			}
		}
		return ""
	}
	fuzzed := 0
	for dir, p := range all {
		if !hasFuzzTarget(p) {
			continue
		}
		fuzzed++
		if by := reaches(dir, map[string]bool{}); by != "" {
			t.Errorf("%s has fuzz targets, and %s imports SQLite", dir, by)
		}
		for i, file := range p.files {
			for _, imported := range file.Imports {
				name, _ := strconv.Unquote(imported.Path.Value) // it was parsed
				ours, _ := strings.CutPrefix(name, module)
				if by := reaches(ours, map[string]bool{}); by != "" {
					t.Errorf("%s has fuzz targets beside it, and reaches SQLite by %s", p.names[i], ours)
				}
			}
		}
	}
	if fuzzed < 30 {
		t.Errorf("only %d packages have fuzz targets", fuzzed)
	}
}

func hasFuzzTarget(p *source) bool {
	for i, file := range p.files {
		if !strings.HasSuffix(p.names[i], "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				return true
			}
		}
	}
	return false
}
