package arch_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device"
)

// sameWord are the packages in which the name of a driver is the name of something else: a program of Apple's or of another project, the
// format of its output, or the ending of a bundle.
var sameWord = map[string]string{
	"devicectl": "internal/apple internal/virtualxcode internal/xcode/toolcheck internal/ops/view/xcode",
	"idb":       "internal/virtualxcode internal/xcode/toolcheck internal/ui/uiread",
	"xctest":    "internal/apple internal/virtualxcode",
}

// TestDriversAreNamedInTheirPackageOnly: what is said of a driver elsewhere (keys, flags, variables, hints, doctor, choices) is made of its
// row in the table. Then a new driver is its package and one row, and no list can lack it.
func TestDriversAreNamedInTheirPackageOnly(t *testing.T) {
	drivers := product.Drivers()
	for dir, p := range packages(t) {
		if under(dir, "test") {
			continue
		}
		literals(p, func(file, text string) {
			for _, d := range drivers {
				if names(dir, text, d.DriverSpec) {
					t.Errorf("%s names the driver %s in %q: get it from the table, which is daemon/product.Drivers", file, d.Name, text)
				}
			}
		})
	}
}

// names reports whether a text in a package names a driver that is not its own. A driver may recommend another one for what it cannot do.
func names(dir, text string, d device.DriverSpec) bool {
	may := append(strings.Fields(sameWord[d.Name]), "internal/driver/"+d.Name)
	if slices.ContainsFunc(may, func(root string) bool { return under(dir, root) }) {
		return false
	}
	spelt := []string{"--driver " + d.Name, "--" + d.URLFlag(), d.URLKey(), "IOS_AGENT_" + strings.ToUpper(d.Name) + "_URL"}
	return text == d.Name ||
		!under(dir, "internal/driver") && slices.ContainsFunc(spelt, func(s string) bool { return strings.Contains(text, s) })
}

// under reports whether a folder is another one or lies in it.
func under(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

// literals calls fn with every string literal of a package except those of its tests, its imports and its hints, which house's
// TestHintsCanBeFollowed holds to the catalogue.
func literals(p *source, fn func(file, text string)) {
	for i, file := range p.files {
		if strings.HasSuffix(p.names[i], "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, is := n.(*ast.ImportSpec); is {
				return false
			}
			if call, is := n.(*ast.CallExpr); is && ofHint(call, "Do", "Of", "Schema") {
				return false
			}
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					fn(p.names[i], text)
				}
			}
			return true
		})
	}
}
