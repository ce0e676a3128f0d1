package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	schemasRef    = "#/components/schemas/"
	parametersRef = "#/components/parameters/"
	responsesRef  = "#/components/responses/"
)

// smallest is the minimum size in bytes of an inner schema that is shared.
const smallest = 70

// sharing finds the schemas that occur more than once in a document. Each is written once, under a name, and referenced. The inputs and
// outputs of operations always get a name: generated clients have types for them.
type sharing struct {
	texts map[*jsonschema.Schema]string // JSON of every schema found so far
	uses  map[string]*use               // by that JSON
	order []*use                        // in the order in which they were found
}

// use is one distinct schema.
type use struct {
	schema *jsonschema.Schema
	count  int    // number of places that refer to it, after equal parents were merged
	root   string // the name of a whole input or output
	owner  string // the root that first contained it
	word   string // the first property that had it
	ref    string // the name that it is shared under; "" for an unshared schema
}

func newSharing() *sharing {
	return &sharing{texts: map[*jsonschema.Schema]string{}, uses: map[string]*use{}}
}

// add counts the schemas of a whole input or output.
func (s *sharing) add(root *jsonschema.Schema, name string) {
	if u := s.visit(root, name, name); u.root == "" {
		u.root = name
	}
}

func (s *sharing) visit(node *jsonschema.Schema, owner, word string) *use {
	raw, err := json.Marshal(node)
	if err != nil {
		panic(fmt.Sprintf("reference: %s in %s: %v", word, owner, err))
	}
	s.texts[node] = string(raw)
	u, known := s.uses[string(raw)]
	if !known {
		u = &use{schema: node, owner: owner, word: word}
		s.uses[string(raw)] = u
		s.order = append(s.order, u)
		children(node, func(child *jsonschema.Schema, property string) *jsonschema.Schema {
			if property == "" { // an element of a list or a choice has no name of its own
				property = word
			}
			s.visit(child, owner, property)
			return child
		})
	}
	u.count++
	return u
}

// children replaces each schema directly inside another by the result of change.
func children(s *jsonschema.Schema, change func(child *jsonschema.Schema, property string) *jsonschema.Schema) {
	for _, name := range order(s) {
		s.Properties[name] = change(s.Properties[name], name)
	}
	if s.Items != nil {
		s.Items = change(s.Items, "")
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties = change(s.AdditionalProperties, "")
	}
	for i := range s.AnyOf {
		s.AnyOf[i] = change(s.AnyOf[i], "")
	}
}

// components names the shared schemas and returns them by name. After that, refer returns references.
func (s *sharing) components() map[string]*jsonschema.Schema {
	named := map[string]*jsonschema.Schema{}
	for _, u := range s.order {
		if u.root == "" && (u.count < 2 || len(s.texts[u.schema]) < smallest) {
			continue
		}
		u.ref = free(named, pascal(u.root), pascal(u.word), pascal(u.owner+"_"+u.word))
		named[u.ref] = u.schema
	}
	for _, u := range s.order {
		children(u.schema, func(child *jsonschema.Schema, _ string) *jsonschema.Schema { return s.refer(child) })
	}
	return named
}

// refer is a reference to a schema that is shared, or the schema itself.
func (s *sharing) refer(to *jsonschema.Schema) *jsonschema.Schema {
	if u := s.uses[s.texts[to]]; u != nil && u.ref != "" {
		return &jsonschema.Schema{Ref: schemasRef + u.ref}
	}
	return to
}

// free is the first unused name of a list; if all are used, the last one with a number.
func free[T any](taken map[string]T, names ...string) string {
	name := ""
	for _, name = range names {
		if _, is := taken[name]; !is && name != "" {
			return name
		}
	}
	for n := 2; ; n++ {
		numbered := fmt.Sprint(name, n)
		if _, is := taken[numbered]; !is {
			return numbered
		}
	}
}

// pascal writes tap_element_result as TapElementResult.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// shareParameters replaces each parameter of several operations by a reference, and adds it to the components.
func shareParameters(operations []*operation, named map[string]parameter) {
	key := func(p parameter) string { return fmt.Sprint(p.Ref, p.In, p.Name, p.Required, p.Description, p.Schema) }
	counts, refs := map[string]int{}, map[string]string{}
	for _, o := range operations {
		for _, p := range o.Parameters {
			counts[key(p)]++
		}
	}
	for _, o := range operations {
		for i, p := range o.Parameters {
			k := key(p)
			if p.Ref != "" || counts[k] < 2 {
				continue
			}
			if refs[k] == "" {
				refs[k] = free(named, p.Name, o.ID+"."+p.Name)
				named[refs[k]] = p
			}
			o.Parameters[i] = parameter{Ref: parametersRef + refs[k]}
		}
	}
}

// order is the order of declaration, then later additions.
func order(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}
