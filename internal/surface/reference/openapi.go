// Package reference writes the documents that follow from the catalogue: the OpenAPI description, the reference pages,
// and the guides a model reads. What an operation is called, takes and answers comes from its declaration; only the
// words between are written here, and they name nothing that does not exist.
package reference

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/op"
)

// server is where the HTTP surface listens unless the port is taken; `ios-agent daemon status` knows.
const server = "http://127.0.0.1:9100"

type document struct {
	OpenAPI    string                          `json:"openapi"`
	Info       info                            `json:"info"`
	Servers    []map[string]string             `json:"servers"`
	Security   []map[string][]string           `json:"security"`
	Tags       []tag                           `json:"tags"`
	Paths      map[string]map[string]operation `json:"paths"` // by path, by method in lower case
	Components components                      `json:"components"`
}

type info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     map[string]string `json:"license"`
}

type tag struct {
	Name string `json:"name"`
}

type components struct {
	Parameters map[string]parameter         `json:"parameters"`
	Responses  map[string]response          `json:"responses"`
	Security   map[string]map[string]string `json:"securitySchemes"`
}

// OpenAPI describes every operation that has a route, as OpenAPI 3.1. A route that names an input its operation does not
// have is an error.
func OpenAPI(c *op.Catalogue, version string) ([]byte, error) {
	paths := map[string]map[string]operation{"/health": {"get": health()}}
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		described, err := describe(c, o)
		if err != nil {
			return nil, err
		}
		if paths[o.Path()] == nil {
			paths[o.Path()] = map[string]operation{}
		}
		paths[o.Path()][strings.ToLower(o.Method())] = described
	}
	return encode(document{
		OpenAPI:    "3.1.0",
		Info:       about(version),
		Servers:    []map[string]string{{"url": server}},
		Security:   []map[string][]string{{"bearer": {}}, {"key": {}}},
		Tags:       tags(c),
		Paths:      paths,
		Components: components{Parameters: map[string]parameter{sessionName: session()}, Responses: failures(), Security: schemes()},
	})
}

func about(version string) info {
	return info{
		Title:   "ios-agent",
		Version: version,
		Description: "See, drive and debug apps on Apple platforms. Served on loopback only; `ios-agent daemon status` names the " +
			"address and the file that holds the key. Requests from web pages are refused.",
		License: map[string]string{"name": "Apache-2.0", "identifier": "Apache-2.0"},
	}
}

// schemes are the two ways to show the key.
func schemes() map[string]map[string]string {
	return map[string]map[string]string{
		"bearer": {"type": "http", "scheme": "bearer"},
		"key":    {"type": "apiKey", "in": "header", "name": "X-API-Key"},
	}
}

// tags are the groups of the operations that have a route.
func tags(c *op.Catalogue) []tag {
	names := map[string]bool{}
	for _, o := range c.Ops() {
		for _, g := range o.Groups {
			names[g] = names[g] || o.Route != ""
		}
	}
	maps.DeleteFunc(names, func(_ string, routed bool) bool { return !routed })
	var all []tag
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, tag{name})
	}
	return all
}

// health is the one route that needs no key and is no operation: it says nothing but that somebody is there.
func health() operation {
	schema := &jsonschema.Schema{
		Type: "object", Required: []string{"status"},
		Properties: map[string]*jsonschema.Schema{"status": {Type: "string", Enum: []any{"ok"}}},
	}
	return operation{
		ID: "health", Summary: "Tell that the daemon is there", Security: &[]map[string][]string{},
		Responses: map[string]response{"200": answer("The daemon is there", "application/json", schema), "403": {Ref: failureRef(403)}},
	}
}

// encode indents (by one: schemas nest deep), ends with a newline and leaves < and & alone: the file is read by people too.
func encode(d document) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(d)
	return out.Bytes(), err
}
