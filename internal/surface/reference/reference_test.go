package reference_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/reference"
)

var update = flag.Bool("update", false, "rewrite docs/reference")

// apiVersion is what the checked-in description says: the routes' version, since a build's would make it stale daily.
const apiVersion = "v1"

// documents are what the product's catalogue yields; every test but one reads the same.
func documents(t *testing.T) map[string]string {
	t.Helper()
	files, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var once = sync.OnceValues(generate)

func generate() (map[string]string, error) {
	files := reference.Pages(product.Catalogue())
	raw, err := reference.OpenAPI(product.Catalogue(), apiVersion, reference.Usual)
	files[openAPIFile] = string(raw)
	return files, err
}

// openAPIFile is the one document that is not kept in docs/reference: a command prints it.
const openAPIFile = "openapi.json"

func openAPI(t *testing.T, c *op.Catalogue) []byte {
	t.Helper()
	raw, err := reference.OpenAPI(c, apiVersion, reference.Usual)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestReferenceIsUpToDate(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "reference")
	files := documents(t)
	for name, want := range files {
		if name == openAPIFile {
			continue
		}
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is stale: run go test ./internal/surface/reference -update (%v)", path, err)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if _, ok := files[f.Name()]; !ok || f.Name() == openAPIFile {
			t.Errorf("nothing generates %s: remove it", filepath.Join(dir, f.Name()))
		}
	}
}

func TestTheSameCatalogueGivesTheSameDocuments(t *testing.T) {
	first := documents(t)
	for range 3 {
		again, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range again {
			if text != first[name] {
				t.Errorf("%s differs from one run to the next", name)
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([a-z0-9_.-]*)(?:#([a-z0-9_]+))?\)`)

// TestReferenceLinksResolve covers next steps too: each is a link to its operation.
func TestReferenceLinksResolve(t *testing.T) {
	files := documents(t)
	for name, text := range files {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, ok := files[m[1]]
			if !ok || m[2] != "" && !strings.Contains(target, "\n## "+m[2]+"\n") {
				t.Errorf("%s: %s leads nowhere", name, m[0])
			}
		}
	}
}

func TestEveryOperationIsOnAPageAndInTheIndex(t *testing.T) {
	c, files := product.Catalogue(), documents(t)
	for _, o := range c.Ops() {
		page := files[o.Group()+".md"]
		if !strings.Contains(page, "\n## "+c.ID(o)+"\n") {
			t.Errorf("%s is not on its page", c.ID(o))
		}
		if !strings.Contains(files["index.md"], "["+c.ID(o)+"]("+o.Group()+".md#"+c.ID(o)+")") {
			t.Errorf("%s is not in the index", c.ID(o))
		}
		for _, n := range o.Next {
			if _, err := c.Lookup(n); err != nil {
				t.Errorf("%s: next step: %v", o.Name, err)
			}
		}
	}
}

// commands are the program's own, which are no operations.
var commands = []string{"help", "call", "daemon", "mcp", "demo", "virtual"}

var commandLine = regexp.MustCompile("(?:`|    )ios-agent ([a-z-]+)")

func TestEveryCommandLineNamesAVerb(t *testing.T) {
	known := slices.Clone(commands)
	for _, o := range product.Catalogue().Ops() {
		first, _, _ := strings.Cut(o.Verb, " ")
		known = append(known, first)
	}
	for name, text := range documents(t) {
		for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: there is no command %q", name, m[1])
			}
		}
	}
}
