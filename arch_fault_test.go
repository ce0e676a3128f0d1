package arch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// detailReaders are the only places outside internal/fault that may read a fault's details, with the reason.
var detailReaders = map[string]string{
	"internal/surface/rest/rest.go": "prints the candidates of a question a second time, under the name the source systems use",
}

// TestOnlyListedFilesReadFaultDetails finds every use of the field Details of a fault, by type. Details are printed for callers; our
// own code decides by the type of an error.
func TestOnlyListedFilesReadFaultDetails(t *testing.T) {
	used := map[string]bool{}
	c := newChecker(t)
	for _, p := range c.ours {
		for _, at := range c.detailUses(t, p) {
			if used[at.Filename] = true; detailReaders[at.Filename] == "" {
				t.Errorf("%s uses the details of a fault: give the error a type (see fault.Typed) and ask for that", at)
			}
		}
	}
	for file := range detailReaders {
		if !used[file] {
			t.Errorf("%s may read details but does not", file)
		}
	}
}

// listed is a package as `go list` describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Deps           []string
}

// checker knows the types of our packages: it reads what the compiler exported of those they import.
type checker struct {
	fset     *token.FileSet
	importer types.Importer
	ours     []listed // those that can know a fault, without internal/fault itself
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	var stderr bytes.Buffer
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Deps", "./...")
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	exports := map[string]string{}
	c := &checker{fset: token.NewFileSet()}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return c
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) && slices.Contains(p.Deps, module+"internal/fault") {
			c.ours = append(c.ours, p)
		}
	}
}

// detailUses are the places where a package's own code (not its tests) names the field Details of a fault.
func (c *checker) detailUses(t *testing.T, p listed) []token.Position {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: c.importer}
	if _, err := config.Check(p.ImportPath, c.fset, files, info); err != nil {
		t.Fatalf("%s: %v", p.ImportPath, err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var found []token.Position
	for name, object := range info.Uses {
		field, is := object.(*types.Var)
		if !is || !field.IsField() || field.Name() != "Details" || field.Pkg().Path() != module+"internal/fault" {
			continue
		}
		at := c.fset.Position(name.Pos())
		if at.Filename, err = filepath.Rel(root, at.Filename); err != nil {
			t.Fatal(err)
		}
		found = append(found, at)
	}
	return found
}
