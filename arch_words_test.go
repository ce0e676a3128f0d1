package arch_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// speaksShell are the folders whose texts only somebody with a shell reads, or that write down command lines for clients.
var speaksShell = []string{"internal/surface/", "internal/client/", "internal/virtualxcode", "cmd/", "test/", "scripts/", "sdk/", "agent/"}

var commandLine = regexp.MustCompile("\\bios-agent [a-z]|`--[a-z]")

// A text below the surfaces has no command line in it: it names an operation by package hint, and the surface says how to call it.
func TestNoCommandLinesBelowTheSurface(t *testing.T) {
	eachGoFile(t, func(path string, set *token.FileSet, f *ast.File) {
		above := slices.ContainsFunc(speaksShell, func(dir string) bool { return strings.HasPrefix(path, dir) })
		if above || strings.HasSuffix(path, "_test.go") || !strings.Contains(path, "/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && isHintCommand(call) {
				return false
			}
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && commandLine.MatchString(text) {
				t.Errorf("%s: %q has a command line: use hint.Do, hint.Field or hint.Command", set.Position(literal.Pos()), text)
			}
			return true
		})
	})
}

// isHintCommand reports whether a call is hint.Command("ios-agent …"): a command that only a person can run.
func isHintCommand(call *ast.CallExpr) bool {
	f, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	from, is := f.X.(*ast.Ident)
	return is && from.Name == "hint" && f.Sel.Name == "Command"
}
