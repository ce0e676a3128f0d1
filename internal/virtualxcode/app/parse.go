package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	maxSource = 1 << 20 // maximum size of a ui.yaml in bytes
	maxDepth  = 16      // maximum nesting of steps, and of elements
)

// Problem is one error in a ui.yaml.
type Problem struct {
	Line, Column int
	Message      string
}

// Problems are all errors in a ui.yaml, in line order.
type Problems []Problem

// Error lists the problems, one per line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = fmt.Sprintf("line %d: %s", one.Line, one.Message)
	}
	return strings.Join(lines, "\n")
}

// Parse reads a ui.yaml. Its error is of type Problems and lists all errors, not only the first.
func Parse(source []byte) (*App, error) {
	if len(source) > maxSource {
		return nil, Problems{{Line: 1, Message: fmt.Sprintf("the file is larger than %d bytes", maxSource)}}
	}
	root, err := parseYAML(source)
	if err != nil {
		return nil, err
	}
	r := &reader{app: &App{State: Vars{}, Screens: map[string]*Screen{}}, seen: map[Problem]bool{}}
	r.document(root)
	for _, check := range r.later {
		check()
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
		return nil, r.problems
	}
	return r.app, nil
}

// parseYAML returns the root node of the single document. The library has panicked on broken input before, so parseYAML recovers.
func parseYAML(source []byte) (root ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, Problems{{Line: 1, Message: fmt.Sprintf("the yaml cannot be read: %v", p)}}
		}
	}()
	file, err := parser.ParseBytes(source, 0)
	if err != nil {
		return nil, syntaxProblem(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, Problems{{Line: 1, Message: fmt.Sprintf("expected one yaml document, found %d", countDocs(file))}}
	}
	return file.Docs[0].Body, nil
}

func countDocs(file *ast.File) (n int) {
	for _, d := range file.Docs {
		if d.Body != nil {
			n++
		}
	}
	return n
}

func syntaxProblem(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil || at.GetToken().Position == nil {
		return Problems{{Line: 1, Message: err.Error()}}
	}
	pos := at.GetToken().Position
	return Problems{{Line: pos.Line, Column: pos.Column, Message: at.GetMessage()}}
}
