package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/hint"
)

// Hints are what the source of the product tells callers to do, by the place where it stands.
type Hints struct {
	Facts map[string]hint.Fact // every call of package hint
	Hints map[string]string    // every text given to WithHint
}

// Unknown stands in a fact or a hint for a value that only a run knows.
const Unknown = "X"

// elsewhere are folders whose texts no surface renders: those of Apple's tools, and what the command line says to a person.
var elsewhere = []string{"../../internal/virtualxcode", "../../internal/surface/cli"}

// SourceOfHints reads the source below internal/. It knows literals, concatenations, fmt.Sprintf and constants of the package.
func SourceOfHints(t testing.TB) Hints {
	t.Helper()
	found := Hints{map[string]hint.Fact{}, map[string]string{}}
	set := token.NewFileSet()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir("../../internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && slices.Contains(elsewhere, path) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range packages {
		r := reader{constantsOf(files)}
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is || len(call.Args) == 0 {
					return true
				}
				where := set.Position(call.Pos()).String()
				if text, is := r.fact(call); is {
					for _, f := range hint.Facts(text) {
						found.Facts[where] = f
					}
				}
				if name, is := call.Fun.(*ast.SelectorExpr); is && name.Sel.Name == "WithHint" {
					found.Hints[where] = r.format(call.Args)
				}
				return true
			})
		}
	}
	return found
}

// reader reads expressions of one package.
type reader struct{ constants map[string]ast.Expr }

func constantsOf(files []*ast.File) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, file := range files {
		for _, d := range file.Decls {
			general, is := d.(*ast.GenDecl)
			if !is || general.Tok != token.CONST {
				continue
			}
			for _, s := range general.Specs {
				if values := s.(*ast.ValueSpec); len(values.Names) == len(values.Values) {
					for i, name := range values.Names {
						all[name.Name] = values.Values[i]
					}
				}
			}
		}
	}
	return all
}

// text is an expression as a text, with Unknown where only a run knows it.
func (r reader) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
		return e.Value
	case *ast.BinaryExpr:
		return r.text(e.X) + r.text(e.Y)
	case *ast.ParenExpr:
		return r.text(e.X)
	case *ast.Ident:
		if constant, is := r.constants[e.Name]; is {
			return r.text(constant)
		}
	case *ast.CallExpr:
		if text, is := r.fact(e); is {
			return text
		}
		if name, is := e.Fun.(*ast.SelectorExpr); is && name.Sel.Name == "Sprintf" {
			return r.format(e.Args)
		}
	}
	return Unknown
}

// format is a format with its arguments in it.
func (r reader) format(args []ast.Expr) string {
	rest := args[1:]
	return verbs.ReplaceAllStringFunc(r.text(args[0]), func(verb string) string {
		if verb == "%%" {
			return "%"
		}
		if len(rest) == 0 {
			return Unknown
		}
		text := r.text(rest[0])
		rest = rest[1:]
		if strings.HasSuffix(verb, "q") {
			return strconv.Quote(text)
		}
		return text
	})
}

var verbs = regexp.MustCompile(`%%|%[-+#0-9.\[\]]*[a-z]`)

// fact is a call of package hint.
func (r reader) fact(call *ast.CallExpr) (text string, is bool) {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return "", false
	}
	if from, is := selector.X.(*ast.Ident); !is || from.Name != "hint" {
		return "", false
	}
	first := r.text(call.Args[0])
	switch selector.Sel.Name {
	case "Do":
		input := map[string]any{}
		for i := 1; i+1 < len(call.Args); i += 2 {
			input[r.text(call.Args[i])] = r.value(call.Args[i+1])
		}
		return hint.Of(first, input), first != Unknown
	case "Of":
		return hint.Of(first, nil), first != Unknown
	case "Schema":
		return hint.Schema(first), first != Unknown
	case "Field":
		return hint.Field(first), first != Unknown
	case "Command":
		return hint.Command(first), true
	}
	return "", false
}

// value is an input's value: literals keep their kind.
func (r reader) value(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			number, err := strconv.ParseFloat(e.Value, 64)
			if err == nil {
				return number
			}
		}
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return e.Name == "true"
		}
	case *ast.CompositeLit:
		list := []any{}
		for _, one := range e.Elts {
			list = append(list, r.value(one))
		}
		return list
	}
	return fmt.Sprint(r.text(e))
}
