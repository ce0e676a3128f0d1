package arch_test

import (
	"go/ast"
	"os"
	"regexp"
	"testing"
)

// TestSecurityNamesItsTests: a promise whose test is gone is none. `make attack` takes its tests from the same page.
func TestSecurityNamesItsTests(t *testing.T) {
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, p := range packages(t) {
		for _, file := range p.files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					there[f.Name.Name] = true
				}
			}
		}
	}
	named := regexp.MustCompile(`\bTest[A-Za-z0-9]+`).FindAllString(string(page), -1)
	if len(named) < 30 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !there[name] {
			t.Errorf("SECURITY.md names %s, which does not exist", name)
		}
	}
}
