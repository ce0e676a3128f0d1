package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

const sample = `// Package a is counted without this line.
package a

import "ios-agent/internal/fault"

/* Nor are
these. */
const (
	A = 1 // a line of code with a comment
	b = ` + "`raw\n\ntext`" + `
)

type T struct{ f fault.Code }

// Method is exported, its local names are not.
func (T) Method() { const Local = A }
`

func TestLinesCountsCodeOfTheProductOnly(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"internal/a/a.go", "internal/a/b/b.go", "cmd/x/x.go", "internal/a/a_test.go", "internal/virtualxcode/v/v.go",
		"test/t/t.go", "internal/a/testdata/d.go", ".ci/c.go", "internal/a/notes.md"} {
		tree[name] = &fstest.MapFile{Data: []byte(sample)}
	}
	found, err := read(tree)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	report(&out, found)
	want := "   code  pkgs  names  floor\n" +
		"      9     1      3  cmd\n" +
		"     18     2      6  internal/a\n" +
		"     27     3      9  total\n" +
		"\nlargest packages\n      9  cmd/x\n      9  internal/a\n      9  internal/a/b\n" +
		"\nmost imports of ours\n      1  cmd/x\n      1  internal/a\n      1  internal/a/b\n"
	if out.String() != want {
		t.Errorf("report = %s\nwant %s", out.String(), want)
	}
}
