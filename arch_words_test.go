package arch_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
)

// speaksShell are the folders whose texts only somebody with a shell reads, or that write down command lines for clients.
var speaksShell = []string{"internal/surface/", "internal/client/", "internal/virtualxcode", "cmd/", "test/", "scripts/", "sdk/", "agent/"}

// commandLine finds the words that may be a verb or a command of the program, and flags in backticks.
var commandLine = regexp.MustCompile("\\bios-agent ([a-z][a-z-]*)|`--[a-z]")

// aNoun is the program's name before a word that is also a verb of it, as an adjective of a noun.
var aNoun = regexp.MustCompile(`\b(?:the|another) ios-agent home\b`)

// ownNames are texts in which the word after ios-agent belongs to a name.
var ownNames = []string{
	"ios-agent proxy",  // in certificates and in errors of the proxy, which apps and browsers show
	"ios-agent audit",  // the tool in SARIF
	"ios-agent repair", // the session of repairs
}

// A text below the surfaces has no command line in it: it names an operation by package hint, and the surface says how to call it.
func TestTextsBelowSurfaceHaveNoCommandLines(t *testing.T) {
	commands := map[string]bool{}
	for _, alone := range strings.Fields("help daemon virtual key init self trust connect mcp webdriver demo") {
		commands[alone] = true
	}
	for _, o := range op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{}).Ops() {
		first, _, _ := strings.Cut(o.Verb, " ")
		commands[first] = true
	}
	eachGoFile(t, func(path string, set *token.FileSet, f *ast.File) {
		above := slices.ContainsFunc(speaksShell, func(dir string) bool { return strings.HasPrefix(path, dir) })
		if above || strings.HasSuffix(path, "_test.go") || !strings.Contains(path, "/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && ofHint(call, "Command") {
				return false
			}
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || slices.ContainsFunc(ownNames, func(name string) bool { return strings.HasPrefix(text, name) }) {
				return true
			}
			for _, found := range commandLine.FindAllStringSubmatch(aNoun.ReplaceAllString(text, ""), -1) {
				if found[1] == "" || commands[found[1]] {
					t.Errorf("%s: %q has the command line %q: use hint.Do, hint.Field or hint.Command", set.Position(literal.Pos()), text, found[0])
				}
			}
			return true
		})
	})
}

// ofHint reports whether a call is one of a function of package hint, such as hint.Command("ios-agent daemon stop").
func ofHint(call *ast.CallExpr, functions ...string) bool {
	f, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	from, is := f.X.(*ast.Ident)
	return is && from.Name == "hint" && slices.Contains(functions, f.Sel.Name)
}
