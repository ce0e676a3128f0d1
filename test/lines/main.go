// Command lines counts the product: `make lines`. It prints the code lines, packages and exported names of every floor, the largest
// packages, and the packages that import most of our packages. A code line has at least one token of Go, so comments and blank lines are
// free. Tests, test/ and Virtual Xcode are left out: the figure bounds the code that a reader of the product has to read. With a folder
// as its argument it counts another checkout, such as the commit before a change.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	found, err := read(os.DirFS(root))
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
	report(os.Stdout, found)
}

// pkg is the count of one folder of Go files, or of a floor.
type pkg struct {
	dir                       string
	packages, lines, exported int
	ours                      map[string]bool // packages of this module that it imports
}

func read(tree fs.FS) ([]*pkg, error) {
	found := map[string]*pkg{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && outside(name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if found[dir] == nil {
			found[dir] = &pkg{dir: dir, ours: map[string]bool{}}
		}
		return found[dir].add(name, text)
	})
	return inOrder(found), err
}

func outside(dir string) bool {
	base := path.Base(dir)
	return dir != "." && strings.HasPrefix(base, ".") || base == "testdata" || dir == "test" || dir == "internal/virtualxcode"
}

func (p *pkg) add(name string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.lines, p.exported = p.lines+codeLines(text), p.exported+exported(file)
	for _, i := range file.Imports {
		if ours, is := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "ios-agent/"); is {
			p.ours[ours] = true
		}
	}
	return nil
}

// codeLines counts the lines on which a token stands. A raw string counts every line of its text that is not blank.
func codeLines(text []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		for i, part := range strings.Split(literal, "\n") {
			if i == 0 || strings.TrimSpace(part) != "" {
				lines[file.Line(pos)+i] = true
			}
		}
	}
}

// exported counts names that other packages can use: functions, methods, types, constants and variables.
func exported(file *ast.File) (n int) {
	ast.Inspect(file, func(node ast.Node) bool {
		var names []*ast.Ident
		switch d := node.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.FuncDecl:
			names = []*ast.Ident{d.Name}
		case *ast.TypeSpec:
			names = []*ast.Ident{d.Name}
		case *ast.ValueSpec:
			names = d.Names
		}
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
		return true
	})
	return n
}

func report(to io.Writer, found []*pkg) {
	fmt.Fprintf(to, "%7s %5s %6s  %s\n", "code", "pkgs", "names", "floor")
	total, floors := &pkg{dir: "total"}, map[string]*pkg{}
	for _, p := range found {
		floor := floorOf(p.dir)
		if floors[floor] == nil {
			floors[floor] = &pkg{dir: floor}
		}
		for _, sum := range []*pkg{total, floors[floor]} {
			sum.packages, sum.lines, sum.exported = sum.packages+1, sum.lines+p.lines, sum.exported+p.exported
		}
	}
	for _, p := range append(inOrder(floors), total) {
		fmt.Fprintf(to, "%7d %5d %6d  %s\n", p.lines, p.packages, p.exported, p.dir)
	}
	list(to, "largest packages", found, func(p *pkg) int { return p.lines })
	list(to, "most imports of ours", found, func(p *pkg) int { return len(p.ours) })
}

func inOrder(found map[string]*pkg) []*pkg {
	return slices.SortedFunc(maps.Values(found), func(a, b *pkg) int { return cmp.Compare(a.dir, b.dir) })
}

// floorOf is the top folder of a package; for one in internal, the folder below that too.
func floorOf(dir string) string {
	top, rest, _ := strings.Cut(dir, "/")
	if top == "internal" {
		rest, _, _ = strings.Cut(rest, "/")
		return top + "/" + rest
	}
	return top
}

func list(to io.Writer, title string, found []*pkg, of func(*pkg) int) {
	sorted := slices.SortedStableFunc(slices.Values(found), func(a, b *pkg) int { return cmp.Compare(of(b), of(a)) })
	fmt.Fprintf(to, "\n%s\n", title)
	for _, p := range sorted[:min(15, len(sorted))] {
		fmt.Fprintf(to, "%7d  %s\n", of(p), p.dir)
	}
}
