package arch_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A failure message of a test says what came and what was wanted. The assertions that say nothing are counted by file in testdata/bare.txt:
// a count may fall, not rise.
func TestBareAssertionsDoNotIncrease(t *testing.T) {
	bare := map[string]int{}
	eachGoFile(t, func(path string, _ *token.FileSet, f *ast.File) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && isBare(call) {
				bare[path]++
			}
			return true
		})
	})
	const list = "testdata/bare.txt"
	if *update {
		var b strings.Builder
		for _, path := range slices.Sorted(maps.Keys(bare)) {
			fmt.Fprintf(&b, "%d %s\n", bare[path], path)
		}
		if err := os.WriteFile(list, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var count int
		var path string
		if _, err := fmt.Sscan(line, &count, &path); err != nil {
			t.Fatalf("%s: %q: %v", list, line, err)
		}
		allowed[path] = count
	}
	for path, count := range bare {
		if count > allowed[path] {
			t.Errorf("%s: %d assertions say neither what came nor what was wanted, want at most %d: "+
				"t.Errorf(\"outcome = %%q, want %%q\", got, want)", path, count, allowed[path])
		}
	}
	for path, count := range allowed {
		if bare[path] < count {
			t.Errorf("%s: %d assertions without words are left of %d: run go test . -run TestBareAssertionsDoNotIncrease -update",
				path, bare[path], count)
		}
	}
}

var (
	words          = regexp.MustCompile(`[A-Za-z]{2,}`)
	verbsOfFormats = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]|\\[nt]`)
)

// isBare reports whether a call is t.Error, t.Fatal or one of their formats with values and without a word: t.Error(got),
// t.Fatalf("%v", e). An error by itself says what went wrong.
func isBare(call *ast.CallExpr) bool {
	f, is := call.Fun.(*ast.SelectorExpr)
	if !is || !slices.Contains([]string{"Error", "Fatal", "Errorf", "Fatalf"}, f.Sel.Name) || len(call.Args) == 0 {
		return false
	}
	if of, is := f.X.(*ast.Ident); !is || of.Name != "t" && of.Name != "b" && of.Name != "tb" {
		return false
	}
	if name, is := call.Args[0].(*ast.Ident); is && len(call.Args) == 1 && (name.Name == "err" || strings.HasSuffix(name.Name, "Err")) {
		return false
	}
	for _, a := range call.Args {
		wordless := true
		ast.Inspect(a, func(n ast.Node) bool {
			literal, is := n.(*ast.BasicLit)
			if is && literal.Kind == token.STRING && words.MatchString(verbsOfFormats.ReplaceAllString(literal.Value, "")) {
				wordless = false
			}
			return wordless
		})
		if !wordless {
			return false
		}
	}
	return true
}
