package arch_test

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
)

// TestAToolsNameStandsOnce: the names of other families' tools stand in the table of their view, tools.go, each once, with the operation
// that it shows. Everything else says the row: next steps, twins, faults, resources. A client calls an operation by its name, as any
// program does. A word such as tap means more than the tool, and so does a name that an operation of ours has too: those are only looked
// for in the table.
func TestAToolsNameStandsOnce(t *testing.T) {
	own, others := map[string]bool{}, map[string]bool{}
	for _, o := range op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{}).Ops() {
		names := others
		if o.Family == op.Core {
			names = own
		}
		names[o.Name] = true
	}
	places := literals(t, others)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		table := slices.ContainsFunc(places[name], func(file string) bool {
			return strings.HasPrefix(file, "internal/ops/view/") && filepath.Base(file) == "tools.go"
		})
		if !table {
			t.Errorf("%s stands in no tools.go of a view, but in %q", name, places[name])
		}
		if len(places[name]) > 1 && strings.Contains(name, "_") && !own[name] {
			t.Errorf("%s stands in %q: say its row in tools.go instead", name, places[name])
		}
	}
}

// literals are the files of the product in which a text of some stands as a literal, once for each.
func literals(t *testing.T, texts map[string]bool) map[string][]string {
	found := map[string][]string{}
	for dir, p := range packages(t) {
		if strings.HasPrefix(dir, "internal/virtualxcode") || strings.HasPrefix(dir, "internal/client/") || strings.HasPrefix(dir, "test/") {
			continue
		}
		for i, file := range p.files {
			if strings.HasSuffix(p.names[i], "_test.go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && texts[text] {
						found[text] = append(found[text], filepath.ToSlash(p.names[i]))
					}
				}
				return true
			})
		}
	}
	return found
}
