package xcresult

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"ios-agent/internal/apple/jsondoc"
)

// Inside a bundle an object is stored in a form of its own, which xcresulttool turns into JSON:
//
//	[T[K2:_nV5:Array] …]      an object; its type comes first, here spelled out
//	[S5:Array …]              an object of a type that was spelled out before
//	K7:actions                the key of what follows
//	V3:abc                    a value of three bytes
//
// An object without keys is an element of the array it stands in.
func isStored(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("[T[K2:_nV")) }

func readStored(data []byte) (*Result, error) {
	p := stored{b: bytes.TrimSpace(data)}
	top, err := p.object(0)
	if err != nil {
		return nil, fmt.Errorf("xcresult: stored object: %w", err)
	}
	doc, err := json.Marshal(top)
	if err != nil {
		return nil, err
	}
	g := &Graph{Document: doc}
	g.fill(top)
	return &Result{Form: FormStored, Graph: g}, nil
}

type stored struct {
	b []byte
	i int
}

var errStored = errors.New("broken off or not in this form")

func (p *stored) next() byte {
	if p.i >= len(p.b) {
		return 0
	}
	return p.b[p.i]
}

// counted reads 5:Array.
func (p *stored) counted() (string, error) {
	colon := bytes.IndexByte(p.b[p.i:], ':')
	if colon <= 0 || colon > 9 {
		return "", errStored
	}
	n, err := strconv.Atoi(string(p.b[p.i : p.i+colon]))
	start := p.i + colon + 1
	if err != nil || n < 0 || start+n > len(p.b) {
		return "", errStored
	}
	p.i = start + n
	return string(p.b[start:p.i]), nil
}

// object reads from its bracket to the closing one.
func (p *stored) object(depth int) (map[string]any, error) {
	if p.next() != '[' || depth > jsondoc.MaxDepth {
		return nil, errStored
	}
	p.i++
	o := map[string]any{}
	var list []any
	for {
		c := p.next()
		switch c {
		case ']':
			p.i++
			if list != nil {
				o["_values"] = list
			}
			return o, nil
		case 'T', 'S':
			t, err := p.typeName(depth)
			if err != nil {
				return nil, err
			}
			o["_type"] = t
		case 'K':
			p.i++
			key, err := p.counted()
			if err != nil {
				return nil, err
			}
			v, err := p.value(depth)
			if err != nil {
				return nil, err
			}
			o[longKey(key)] = v
		case '[':
			v, err := p.object(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		default:
			return nil, errStored
		}
	}
}

func (p *stored) value(depth int) (any, error) {
	if p.next() == 'V' {
		p.i++
		return p.counted()
	}
	return p.object(depth + 1)
}

// typeName reads T[K2:_nV5:Array] or S5:Array.
func (p *stored) typeName(depth int) (any, error) {
	short := p.next() == 'S'
	p.i++
	if !short {
		return p.object(depth + 1)
	}
	name, err := p.counted()
	return map[string]any{"_name": name}, err
}

func longKey(k string) string {
	switch k {
	case "_n":
		return "_name"
	case "_v":
		return "_value"
	case "_s":
		return "_supertype"
	}
	return k
}
