package reference

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

type operation struct {
	ID          string                 `json:"operationId"`
	Tags        []string               `json:"tags,omitempty"`
	Summary     string                 `json:"summary"`
	Description string                 `json:"description,omitempty"`
	Security    *[]map[string][]string `json:"security,omitempty"` // a pointer: the empty list means public
	Parameters  []parameter            `json:"parameters,omitempty"`
	Body        *body                  `json:"requestBody,omitempty"`
	Responses   map[string]response    `json:"responses"`
}

type parameter struct {
	Ref         string             `json:"$ref,omitempty"`
	Name        string             `json:"name,omitempty"`
	In          string             `json:"in,omitempty"`
	Description string             `json:"description,omitempty"`
	Required    bool               `json:"required,omitempty"`
	Schema      *jsonschema.Schema `json:"schema,omitempty"`
}

type body struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type media struct {
	Schema *jsonschema.Schema `json:"schema"`
}

type response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]media `json:"content,omitempty"`
}

func answer(description, mime string, s *jsonschema.Schema) response {
	return response{Description: description, Content: map[string]media{mime: {s}}}
}

func describe(c *op.Catalogue, o op.Op) (*operation, error) {
	inputs := inputSchema(o)
	parameters, err := pathParameters(o, inputs)
	if err != nil {
		return nil, err
	}
	out := &operation{
		ID: c.ID(o), Tags: o.Groups, Summary: o.Summary, Description: wording.Routes(c).Say(description(o)),
		Responses: responses(c, o),
	}
	if o.Public {
		out.Security = &[]map[string][]string{}
	}
	if bodiless(o) {
		parameters = append(parameters, queryParameters(inputs)...)
	} else {
		needed := len(inputs.Required) > 0 || len(o.Require) > 0
		out.Body = &body{needed, map[string]media{"application/json": {inputs}}}
	}
	out.Parameters = append(parameters, parameter{Ref: parametersRef + sessionHeader})
	if o.Hints.Has(op.Repeatable) {
		out.Parameters = append(out.Parameters, parameter{Ref: parametersRef + requestHeader})
	}
	return out, nil
}

// bodiless reports whether the input is in the query.
func bodiless(o op.Op) bool {
	return o.Method() == http.MethodGet || o.Method() == http.MethodDelete
}

func description(o op.Op) string {
	parts := []string{o.Help, o.GroupsInWords()}
	if o.Long {
		parts = append(parts, longInWords())
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n\n")
}

func longInWords() string {
	return fmt.Sprintf("Work longer than %s continues as a job, and the answer names the job.", short(op.JobAfter))
}

// inputSchema adds the rule for paths over HTTP: they must be absolute, because no client resolves them.
func inputSchema(o op.Op) *jsonschema.Schema {
	s := o.StrictSchema()
	for _, f := range o.Fields() {
		if f.Kind == op.File {
			s.Properties[f.Name].Description += " (an absolute path)"
		}
	}
	return s
}

var inPath = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// pathParameters moves the inputs of the route out of the schema.
func pathParameters(o op.Op, inputs *jsonschema.Schema) (list []parameter, err error) {
	for _, m := range inPath.FindAllStringSubmatch(o.Path(), -1) {
		name := m[1]
		schema, ok := inputs.Properties[name]
		if !ok {
			return nil, fmt.Errorf("%s: the route %s names %q, which is not an input of the operation", o.Name, o.Route, name)
		}
		list = append(list, toParameter(name, "path", schema, true))
		same := func(s string) bool { return s == name }
		delete(inputs.Properties, name)
		inputs.PropertyOrder = slices.DeleteFunc(inputs.PropertyOrder, same)
		inputs.Required = slices.DeleteFunc(inputs.Required, same)
	}
	return list, nil
}

func queryParameters(inputs *jsonschema.Schema) (list []parameter) {
	for _, name := range inputs.PropertyOrder {
		list = append(list, toParameter(name, "query", inputs.Properties[name], slices.Contains(inputs.Required, name)))
	}
	return list
}

// toParameter moves the description from the schema to the parameter, where OpenAPI tools expect it.
func toParameter(name, in string, s *jsonschema.Schema, required bool) parameter {
	p := parameter{Name: name, In: in, Description: s.Description, Required: required, Schema: s}
	s.Description = ""
	return p
}

const (
	sessionHeader = "X-Session"
	requestHeader = "Idempotency-Key"
)

func session() parameter {
	return parameter{
		Name: sessionHeader, In: "header", Schema: &jsonschema.Schema{Type: "string"},
		Description: "Client session, with its own current device and refs. Callers without this header share one session.",
	}
}

func request() parameter {
	return parameter{Name: requestHeader, In: "header", Schema: &jsonschema.Schema{Type: "string"}, Description: repeatInWords()}
}

func repeatInWords() string {
	return "An id that the client creates for each call. After a lost answer, the same call with the same id returns it. " +
		"Only operations that list this header use it."
}

func responses(c *op.Catalogue, o op.Op) map[string]response {
	all := map[string]response{"200": success(c, o)}
	for _, class := range failureClasses {
		all[fmt.Sprintf("%dXX", class)] = response{Ref: responsesRef + failureName(o.Statuses, class)}
	}
	if o.Statuses != nil {
		all[fmt.Sprint(o.Statuses.Misfit)] = response{Ref: responsesRef + misfitName(o.Statuses)}
	}
	return all
}

func success(c *op.Catalogue, o op.Op) response {
	if o.Streams() {
		said := fmt.Sprintf("Server-sent events: each `%s` carries this, `end` the envelope that says how it ended", o.Event())
		return answer(said, "text/event-stream", itemSchema(o))
	}
	schema := o.OutputSchema()
	if job, err := c.Lookup("job_status"); err == nil && o.Long {
		schema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, job.OutputSchema()}}
	}
	return answer("The result", "application/json", schema)
}

// itemSchema is the schema of a stream's item. Meta comes only with the end of the stream.
func itemSchema(o op.Op) *jsonschema.Schema {
	s := o.OutputSchema()
	delete(s.Properties, "meta")
	return s
}
