// Package reference generates documents from the catalogue: OpenAPI, the reference pages (Markdown), and the Guide and Troubleshooting
// pages for models. Names, inputs and answers come from the declarations of the operations; this package has only the text in between, and
// that text must not name an operation or input that does not exist.
package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/op"
)

// Usual is where the HTTP surface listens unless the port is taken; `ios-agent daemon status` knows.
const Usual = "http://127.0.0.1:9100"

type document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       info                             `json:"info"`
	Servers    []map[string]string              `json:"servers"`
	Security   []map[string][]string            `json:"security"`
	Tags       []tag                            `json:"tags"`
	Paths      map[string]map[string]*operation `json:"paths"` // by path, by method in lower case
	Components components                       `json:"components"`
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
	Schemas    map[string]*jsonschema.Schema `json:"schemas"`
	Parameters map[string]parameter          `json:"parameters"`
	Responses  map[string]response           `json:"responses"`
	Security   map[string]map[string]string  `json:"securitySchemes"`
}

// OpenAPI describes every operation with a route, served at an address, as OpenAPI 3.1. A route with an unknown input is an error.
func OpenAPI(c *op.Catalogue, version, server string) ([]byte, error) {
	paths := map[string]map[string]*operation{}
	var all []*operation
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		for i, route := range append([]string{o.Route}, o.Also...) {
			at := o
			at.Route = route // it determines which inputs are in the path
			described, err := describe(c, at)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				described.ID += fmt.Sprintf("_%d", i+1)
			}
			method, path, _ := strings.Cut(route, " ")
			if paths[path] == nil {
				paths[path] = map[string]*operation{}
			}
			paths[path][strings.ToLower(method)] = described
			all = append(all, described)
		}
	}
	return encode(document{
		OpenAPI:    "3.1.0",
		Info:       about(version),
		Servers:    []map[string]string{{"url": server}},
		Security:   []map[string][]string{{"bearer": {}}, {"key": {}}},
		Tags:       tags(c),
		Paths:      paths,
		Components: share(c, all),
	})
}

// share moves common parts of the operations into the components, and replaces them by references.
func share(c *op.Catalogue, all []*operation) components {
	headers := map[string]parameter{sessionHeader: session(), requestHeader: request()}
	out := components{Parameters: headers, Responses: failures(c), Security: schemes()}
	shareParameters(all, out.Parameters)
	found := newSharing()
	eachContent(all, out.Responses, func(name string, m media) media {
		found.add(m.Schema, name)
		return m
	})
	out.Schemas = found.components()
	eachContent(all, out.Responses, func(_ string, m media) media { return media{found.refer(m.Schema)} })
	return out
}

// eachContent replaces every request and response body by the result of change, which gets the body and a name for it.
func eachContent(all []*operation, failures map[string]response, change func(name string, m media) media) {
	each := func(name string, content map[string]media) {
		for mime, m := range content { // exactly one entry
			content[mime] = change(name, m)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		each(name, failures[name].Content)
	}
	for _, o := range all {
		if o.Body != nil {
			each(inputName(o), o.Body.Content)
		}
		each(o.ID+"_result", o.Responses["200"].Content)
	}
}

// inputName names the body of an operation. Operations without inputs of their own share one name.
func inputName(o *operation) string {
	if len(o.Body.Content["application/json"].Schema.Properties) > 1 {
		return o.ID + "_input"
	}
	return "session_only"
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

// schemes are the two ways to send the key.
func schemes() map[string]map[string]string {
	return map[string]map[string]string{
		"bearer": {"type": "http", "scheme": "bearer"},
		"key":    {"type": "apiKey", "in": "header", "name": "X-API-Key"},
	}
}

// tags are the groups of operations with a route.
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

// width is the maximum width of a line of the document.
const width = 140

// encode writes readable JSON: < and & are not escaped, and a value that fits is on one line.
func encode(d document) ([]byte, error) {
	var compact bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := layOut(&out, bytes.TrimSpace(compact.Bytes()), "\n", 0); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// layOut indents compact JSON. A value that does not fit into the rest of its line, after used bytes, gets a line for each of its members.
func layOut(out *bytes.Buffer, raw []byte, newline string, used int) error {
	if len(newline)+used+len(raw) <= width || raw[0] != '{' && raw[0] != '[' {
		out.Write(raw)
		return nil
	}
	from := json.NewDecoder(bytes.NewReader(raw))
	if _, err := from.Token(); err != nil {
		return err
	}
	out.WriteByte(raw[0])
	for separator := ""; from.More(); separator = "," {
		out.WriteString(separator + newline + " ")
		used := 0
		if raw[0] == '{' {
			start := from.InputOffset()
			if _, err := from.Token(); err != nil {
				return err
			}
			key := strings.TrimLeft(string(raw[start:from.InputOffset()]), ",") + ": "
			out.WriteString(key)
			used = len(key)
		}
		var value json.RawMessage
		if err := from.Decode(&value); err != nil {
			return err
		}
		if err := layOut(out, value, newline+" ", used); err != nil {
			return err
		}
	}
	out.WriteString(newline)
	out.WriteByte(raw[len(raw)-1])
	return nil
}
