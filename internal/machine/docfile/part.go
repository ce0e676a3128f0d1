package docfile

import "github.com/goccy/go-yaml/ast"

// Part is a value of a document with its line: a scalar, a list, or keys in their order. It is for readers that report the place of an
// error, or that must keep the order of keys.
type Part struct {
	Line   int
	Scalar *Scalar
	List   []Part
	Keys   []Key
}

// Key is a key of a mapping and its value.
type Key struct {
	Name  string
	Line  int
	Value Part
}

// Parts returns the document as parts. It refuses anchors, aliases, merges and tags, because their meaning is at another place of the file.
func (d Document) Parts() (Part, error) {
	if d.Root == nil {
		return Part{Line: 1}, nil
	}
	return part(d.Root)
}

func part(n ast.Node) (Part, error) {
	p := Part{Line: Line(n)}
	switch v := n.(type) {
	case *ast.MappingNode:
		for _, e := range v.Values {
			if err := p.add(e); err != nil {
				return p, err
			}
		}
	case *ast.MappingValueNode:
		return p, p.add(v)
	case *ast.SequenceNode:
		p.List = []Part{}
		for _, item := range v.Values {
			one, err := part(item)
			if err != nil {
				return p, err
			}
			p.List = append(p.List, one)
		}
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return p, &Problem{p.Line, "anchors (&), aliases (*) and tags (!) cannot be used here"}
	default:
		s := plain(n)
		p.Scalar = &s
	}
	return p, nil
}

func (p *Part) add(e *ast.MappingValueNode) error {
	if _, merges := e.Key.(*ast.MergeKeyNode); merges {
		return &Problem{Line(e.Key), "<< cannot be used here"}
	}
	value, err := part(e.Value)
	p.Keys = append(p.Keys, Key{KeyText(e.Key), Line(e.Key), value})
	return err
}
