package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/text/terms"
)

// The tools that every set has.
const (
	findName = "find_tools"
	callName = "call_tool"
)

// mostFound caps the answer of find_tools.
const mostFound = 8

// findTools searches all operations: the default set stays small, and nothing is out of reach.
func findTools(o Options) (*mcp.Tool, mcp.ToolHandler) {
	tool := &mcp.Tool{
		Name:        findName,
		Description: "Find operations beyond the listed tools by words; call them with call_tool.",
		Annotations: annotations(op.ReadOnly | op.Idempotent),
		InputSchema: object(map[string]*jsonschema.Schema{
			"query": {Type: "string", Description: "what you want to do; empty lists the groups"},
		}),
	}
	return tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Query string }
		if err := json.Unmarshal(arguments(req), &in); err != nil {
			return o.result(op.Failed(fault.New(fault.InvalidInput, "find_tools: %w", fault.OfJSON(err)), op.Meta{}), nil), nil
		}
		found := search(o.Catalogue.Ops(), in.Query)
		all := o.Catalogue.Ops()
		lines := []string{fmt.Sprintf("%d of %d operations; an input is text unless its type or values follow", len(found), len(all))}
		var list []map[string]any
		for _, f := range found {
			lines = append(lines, fmt.Sprintf("%s(%s): %s", o.Catalogue.ID(f), strings.Join(signature(f), ", "), f.Summary))
			list = append(list, map[string]any{"name": o.Catalogue.ID(f), "summary": f.Summary, "groups": f.Groups,
				"input_schema": f.InputSchema()})
		}
		if len(found) == 0 {
			lines = append(lines, "groups: "+strings.Join(groups(o.Catalogue.Ops()), ", "))
		}
		e := op.Succeeded(map[string]any{"tools": list}, op.Meta{})
		e.Stdout = strings.Join(lines, "\n")
		return o.result(e, nil), nil
	}
}

// signature lists an operation's inputs: the optional ones with a question mark, with the type or the values of those that take
// more than any text.
func signature(o op.Op) []string {
	var inputs []string
	for _, f := range o.Fields() {
		input := f.Name
		if !f.Required {
			input += "?"
		}
		if kind, ok := kinds[f.Kind]; ok {
			input += ": " + kind
		}
		if len(f.Enum) > 0 {
			input += ": " + strings.Join(f.Enum, "|")
		}
		inputs = append(inputs, input)
	}
	return inputs
}

var kinds = map[op.Kind]string{op.Bool: "boolean", op.Int: "integer", op.Float: "number", op.Strings: "list", op.Nested: "object"}

func groups(ops []op.Op) []string {
	var all []string
	for _, o := range ops {
		all = append(all, o.Groups...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Where a term stands says how much an operation is about it.
const (
	inName    = 6
	inSummary = 3
	inGroup   = 2
	inHelp    = 2 // and in the values of an input
	inInputs  = 1

	leastScore = 0.1 // of the best one's: what is less is there by chance
)

// search ranks operations by the terms of a query that they have, the rare ones first; a synonym counts a third. What another family
// has of ours is not found a second time.
func search(ops []op.Op, query string) []op.Op {
	about := make([]map[string]float64, len(ops))
	known := map[string]float64{} // how many operations have a term
	ours := map[string]bool{}
	for i, o := range ops {
		about[i] = termsOf(o)
		for term := range about[i] {
			known[term]++
		}
		ours[o.Name] = ours[o.Name] || o.Family == op.Core
	}
	wanted := map[string]float64{}
	for _, term := range terms.Of(query) {
		wanted[term] = 1
		for _, same := range terms.Synonyms(term) {
			wanted[same] = max(wanted[same], 1./3)
		}
	}
	type hit struct {
		op    op.Op
		score float64
	}
	var hits []hit
	for i, o := range ops {
		score := 0.
		for term, weight := range wanted {
			score += weight * about[i][term] * math.Log(1+float64(len(ops))/max(known[term], 1))
		}
		if twin := cmp.Or(o.Twin, o.Name); score > 0 && !o.Streams() && (o.Family == op.Core || !ours[twin]) {
			hits = append(hits, hit{o, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []op.Op
	for _, h := range hits[:min(mostFound, len(hits))] {
		if h.score >= hits[0].score*leastScore {
			found = append(found, h.op)
		}
	}
	return found
}

// termsOf are the terms of an operation, with the weight of the place that counts most.
func termsOf(o op.Op) map[string]float64 {
	all := map[string]float64{}
	for _, part := range []struct {
		text   string
		weight float64
	}{
		{o.Name, inName}, {o.Verb, inName}, {o.Summary, inSummary}, {strings.Join(o.Groups, " ") + " " + o.Family, inGroup}, {o.Help, inHelp},
		{strings.Join(o.Examples, " "), inHelp},
	} {
		for _, term := range terms.Of(part.text) {
			all[term] = max(all[term], part.weight)
		}
	}
	for _, f := range o.Fields() {
		for _, term := range terms.Of(f.Name + " " + f.Doc) {
			all[term] = max(all[term], inInputs)
		}
		for _, term := range terms.Of(strings.Join(f.Enum, " ")) {
			all[term] = max(all[term], inHelp)
		}
	}
	return all
}

// callTool calls any operation by name. One that may lose data is refused unless whoever started the server allowed it:
// a client that asks its user about each tool cannot tell this one's calls apart.
func callTool(o Options) (*mcp.Tool, mcp.ToolHandler) {
	tool := &mcp.Tool{
		Name:        callName,
		Description: "Call any operation found with find_tools.",
		Annotations: annotations(0),
		InputSchema: object(map[string]*jsonschema.Schema{
			"name":      {Type: "string", Description: "the operation"},
			"arguments": {Type: "object", Description: "its input"},
		}, "name"),
	}
	return tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct {
			Name      string
			Arguments json.RawMessage
		}
		strict := json.NewDecoder(bytes.NewReader(arguments(req)))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&in); err != nil {
			f := fault.New(fault.InvalidInput, "call_tool: %w", fault.OfJSON(err)).WithHint("it takes name and arguments")
			return o.result(op.Failed(f, op.Meta{}), nil), nil
		}
		target, err := o.Catalogue.Lookup(in.Name)
		if err == nil && target.Hints.Has(op.Destructive) && !o.Destructive {
			err = fault.New(fault.Forbidden, "%s may lose data and is not allowed through call_tool", target.Name).
				WithHint("ask the user to start the server with `mcp --allow-destructive`, or to call it: `ios-agent %s`", target.Verb)
		}
		if err != nil {
			return o.result(op.Failed(err, op.Meta{}), in.Arguments), nil
		}
		return o.answer(ctx, req, o.Catalogue.ID(target), in.Arguments), nil
	}
}

// arguments are what a call gives; a client may leave them out.
func arguments(req *mcp.CallToolRequest) []byte {
	return []byte(cmp.Or(string(req.Params.Arguments), "{}"))
}

func object(properties map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, Required: required,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}
