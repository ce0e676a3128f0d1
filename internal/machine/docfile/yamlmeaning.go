package docfile

import (
	"maps"

	"github.com/goccy/go-yaml/ast"
)

// Scalar is a YAML scalar as the file has it. The tag distinguishes "1" from 1. Numbers stay text: a scheme called 2048 is a name, and a
// large number keeps all its digits.
type Scalar struct{ Tag, Text string }

// Tags of the scalars that we distinguish; the other tags are kinds of numbers.
const (
	TagNull   = "null"
	TagBool   = "bool"
	TagText   = "string"
	TagNumber = "number"
)

// meaning turns nodes into scalars, []any and map[string]any.
type meaning struct {
	anchors map[string]ast.Node
	left    int
}

func (m *meaning) of(n ast.Node, depth int) (any, error) {
	if m.left--; m.left < 0 || depth > maxDepth {
		return nil, &Problem{Line(n), "too much, or too deep"}
	}
	switch v := n.(type) {
	case *ast.MappingNode:
		return m.mapping(v, depth+1)
	case *ast.SequenceNode:
		return m.sequence(v, depth+1)
	case *ast.AnchorNode:
		m.anchors[v.Name.GetToken().Value] = v.Value
		return m.of(v.Value, depth+1)
	case *ast.AliasNode:
		return m.alias(v, depth)
	case *ast.TagNode:
		return m.tagged(v, depth)
	}
	return plain(n), nil
}

func plain(n ast.Node) Scalar {
	switch v := n.(type) {
	case *ast.NullNode:
		return Scalar{Tag: TagNull}
	case *ast.BoolNode:
		return Scalar{TagBool, v.Token.Value}
	case *ast.StringNode:
		return Scalar{TagText, v.Value}
	case *ast.LiteralNode:
		return Scalar{TagText, v.Value.Value}
	}
	return Scalar{TagNumber, n.GetToken().Value}
}

func (m *meaning) sequence(n *ast.SequenceNode, depth int) ([]any, error) {
	list := []any{}
	for _, item := range n.Values {
		v, err := m.of(item, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// mapping prefers a mapping's own key to the same key that << merges in.
func (m *meaning) mapping(n *ast.MappingNode, depth int) (map[string]any, error) {
	own, merged := map[string]any{}, map[string]any{}
	for _, e := range n.Values {
		v, err := m.of(e.Value, depth)
		if err != nil {
			return nil, err
		}
		if _, isMerge := e.Key.(*ast.MergeKeyNode); isMerge {
			mergeIn(merged, v)
			continue
		}
		own[KeyText(e.Key)] = v
	}
	maps.Copy(merged, own)
	return merged, nil
}

// mergeIn merges one mapping or a list of mappings; of a list, the first mapping wins.
func mergeIn(into map[string]any, from any) {
	list, isList := from.([]any)
	if !isList {
		list = []any{from}
	}
	for _, one := range list {
		base, _ := one.(map[string]any)
		for name, v := range base {
			if _, has := into[name]; !has {
				into[name] = v
			}
		}
	}
}

func (m *meaning) alias(n *ast.AliasNode, depth int) (any, error) {
	target, known := m.anchors[n.Value.GetToken().Value]
	if !known {
		return nil, &Problem{Line(n), "the alias has no anchor before it"}
	}
	return m.of(target, depth+1)
}

func (m *meaning) tagged(n *ast.TagNode, depth int) (any, error) {
	v, err := m.of(n.Value, depth+1)
	if s, ok := v.(Scalar); ok {
		return Scalar{n.Start.Value, s.Text}, err
	}
	return v, err
}
