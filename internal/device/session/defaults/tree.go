package defaults

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// problem is what is wrong with the config file, and in which line.
type problem struct {
	line    int
	message string
}

func (p *problem) Error() string { return fmt.Sprintf("line %d: %s", p.line, p.message) }

// document is a parsed config file: the nodes, for places and edits, and what they mean.
type document struct {
	text string
	root *ast.MappingNode // nil when the file says nothing
	tree map[string]any
	refs bool // uses anchors
}

// parse reads a config file. The library has panicked on broken input before, and a file must never take the daemon
// down.
func parse(text string) (doc document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = document{}, &problem{1, fmt.Sprintf("the yaml cannot be read: %v", p)}
		}
	}()
	parsed, err := parser.ParseBytes([]byte(text), parser.ParseComments)
	if err != nil {
		return document{}, syntax(err)
	}
	body, err := single(parsed)
	if body == nil || err != nil {
		return document{text: text, tree: map[string]any{}}, err
	}
	root, ok := body.(*ast.MappingNode)
	if !ok {
		return document{}, &problem{line(body), "the file must be a mapping of keys to values"}
	}
	m := &meaning{anchors: map[string]ast.Node{}, left: maxNodes}
	tree, err := m.mapping(root, 0)
	return document{text, root, tree, len(m.anchors) > 0}, err
}

func syntax(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil || at.GetToken().Position == nil {
		return &problem{1, err.Error()}
	}
	return &problem{at.GetToken().Position.Line, at.GetMessage()}
}

// single gives the body of the only document, nil if all there is are comments.
func single(parsed *ast.File) (ast.Node, error) {
	var body ast.Node
	for _, d := range parsed.Docs {
		switch d.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.NullNode:
			continue
		}
		if body != nil {
			return nil, &problem{line(d.Body), "the file has more than one document"}
		}
		body = d.Body
	}
	return body, nil
}

func line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// entry finds a key of a mapping.
func entry(m *ast.MappingNode, name string) (i int, found bool) {
	for i, e := range m.Values {
		if keyText(e.Key) == name {
			return i, true
		}
	}
	return 0, false
}

func keyText(key ast.Node) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		return keyText(k.Value)
	}
	return key.GetToken().Value
}

// lineOf is where a path of keys is, or the deepest part of it that is there.
func (d document) lineOf(path ...string) int {
	at, m := 1, d.root
	for _, name := range path {
		if m == nil {
			break
		}
		i, found := entry(m, name)
		if !found {
			break
		}
		at = line(m.Values[i].Key)
		m, _ = m.Values[i].Value.(*ast.MappingNode)
	}
	return at
}
