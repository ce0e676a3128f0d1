package docfile

import (
	"errors"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"ios-agent/internal/machine/regularfile"
)

// Document is a parsed file: its nodes, for places and edits, and their values.
type Document struct {
	Text string
	Root *ast.MappingNode // nil for an empty file
	Tree map[string]any   // of Scalar, []any and map[string]any
	Refs bool             // uses anchors
}

// YAML parses the text of a file, which must be one mapping or empty. It recovers from panics, because the library has panicked on broken
// input before.
func YAML(text string) (doc Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = Document{}, &Problem{1, "the YAML cannot be read"}
		}
	}()
	if len(text) > MostYAML {
		return Document{}, &regularfile.LargeError{Most: MostYAML}
	}
	tokens := lexer.Tokenize(text)
	if err := shallow(tokens); err != nil {
		return Document{}, err
	}
	parsed, err := parser.Parse(tokens, parser.ParseComments)
	if err != nil {
		return Document{}, syntax(err)
	}
	body, err := single(parsed)
	if body == nil || err != nil {
		return Document{Text: text, Tree: map[string]any{}}, err
	}
	root, ok := body.(*ast.MappingNode)
	if !ok {
		return Document{}, &Problem{Line(body), "the file must be a mapping of keys to values"}
	}
	m := &meaning{anchors: map[string]ast.Node{}, left: maxYAMLNodes}
	tree, err := m.mapping(root, 0)
	return Document{text, root, tree, len(m.anchors) > 0}, err
}

// shallow refuses a document that is nested too deep before the parser runs: the parser stores the whole path of every node, 1.6 GB for 32
// KiB of brackets. Nesting by indentation needs no check, since every level takes more columns.
func shallow(tokens token.Tokens) error {
	brackets, dashes, last := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets = max(0, brackets-1)
		case token.SequenceEntryType, token.MappingKeyType:
			if t.Position.Line != last {
				dashes, last = 0, t.Position.Line
			}
			dashes++
		}
		if brackets > maxDepth || dashes > maxDepth {
			return &Problem{t.Position.Line, "nested too deep"}
		}
	}
	return nil
}

// syntax keeps the line of an error and drops the library's message, which quotes the file.
func syntax(err error) error {
	at, in := yaml.Error(nil), 1
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		in = at.GetToken().Position.Line
	}
	return &Problem{in, "this is not valid YAML, or a key is given twice"}
}

// single returns the body of the only document; nil if the file has only comments.
func single(parsed *ast.File) (ast.Node, error) {
	var body ast.Node
	for _, d := range parsed.Docs {
		switch d.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.NullNode:
			continue
		}
		if body != nil {
			return nil, &Problem{Line(d.Body), "the file has more than one document"}
		}
		body = d.Body
	}
	return body, nil
}

// Line is where a node begins.
func Line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// Entry finds a key of a mapping.
func Entry(m *ast.MappingNode, name string) (i int, found bool) {
	for i, e := range m.Values {
		if KeyText(e.Key) == name {
			return i, true
		}
	}
	return 0, false
}

// KeyText is the text of a mapping's key.
func KeyText(key ast.Node) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		return KeyText(k.Value)
	}
	return key.GetToken().Value
}

// LineOf returns the line of a path of keys, or of the deepest part of it that exists.
func (d Document) LineOf(path ...string) int {
	at, m := 1, d.Root
	for _, name := range path {
		if m == nil {
			break
		}
		i, found := Entry(m, name)
		if !found {
			break
		}
		at = Line(m.Values[i].Key)
		m, _ = m.Values[i].Value.(*ast.MappingNode)
	}
	return at
}

// Texts returns the list of texts under a key; nil when the key is missing or empty.
func (d Document) Texts(key string) ([]string, error) {
	if d.blank(key) {
		return nil, nil
	}
	list, ok := d.Tree[key].([]any)
	texts := make([]string, len(list))
	for i := range list {
		item, scalar := list[i].(Scalar)
		ok = ok && scalar && item.Tag == TagText
		texts[i] = item.Text
	}
	if !ok {
		return nil, &Problem{d.LineOf(key), key + " must be a list of texts"}
	}
	return texts, nil
}

// One returns the text under a key; empty when the key is missing or empty.
func (d Document) One(key string) (string, error) {
	if d.blank(key) {
		return "", nil
	}
	s, ok := d.Tree[key].(Scalar)
	if !ok || s.Tag != TagText {
		return "", &Problem{d.LineOf(key), key + " must be a text"}
	}
	return s.Text, nil
}

// Count is the whole number under a key, at least 0; 0 when the key is missing or empty.
func (d Document) Count(key string) (int, error) {
	if d.blank(key) {
		return 0, nil
	}
	s, _ := d.Tree[key].(Scalar)
	n, err := strconv.Atoi(s.Text)
	if err != nil || n < 0 || s.Tag != TagNumber {
		return 0, &Problem{d.LineOf(key), key + " must be a whole number, at least 0"}
	}
	return n, nil
}

func (d Document) blank(key string) bool {
	s, ok := d.Tree[key].(Scalar)
	return d.Tree[key] == nil || ok && s.Tag == TagNull
}
