package arch_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
)

// TestToolNamesAppearOnlyInViewTables: the names of other families' tools stand in the table of their view, tools.go, each once, with the
// operation that it shows. Everything else says the row: next steps, twins, faults, resources. A client calls an operation by its name, as
// any program does. A word such as tap means more than the tool, and so does a name that an operation of ours has too: those are only
// looked for in the table.
func TestToolNamesAppearOnlyInViewTables(t *testing.T) {
	own, others := map[string]bool{}, map[string]bool{}
	for _, o := range op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{}).Ops() {
		names := others
		if o.Family == op.Core {
			names = own
		}
		names[o.Name] = true
	}
	places := literalsOf(t, others)
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

// asked has users' words for operations, by their names; a test of test/house holds those to the catalogue.
const asked = "internal/ops/asked"

// literalsOf are the files of the product in which a text of some stands as a literal, once for each.
func literalsOf(t *testing.T, texts map[string]bool) map[string][]string {
	found := map[string][]string{}
	for dir, p := range packages(t) {
		if under(dir, "internal/virtualxcode") || under(dir, "internal/client") || under(dir, "test") || dir == asked {
			continue
		}
		literals(p, func(file, text string) {
			if texts[text] {
				found[text] = append(found[text], filepath.ToSlash(file))
			}
		})
	}
	return found
}
