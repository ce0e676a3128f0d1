package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
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
			return o.result(op.Failed(fault.New(fault.InvalidInput, "find_tools: %w", err), op.Meta{}), nil), nil
		}
		found := search(o.Catalogue.Ops(), in.Query)
		lines := []string{fmt.Sprintf("%d of %d operations", len(found), len(o.Catalogue.Ops()))}
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

// signature lists an operation's inputs, the optional ones with a question mark.
func signature(o op.Op) []string {
	var names []string
	for _, f := range o.Fields() {
		name := f.Name
		if !f.Required {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

func groups(ops []op.Op) []string {
	var all []string
	for _, o := range ops {
		all = append(all, o.Groups...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// search ranks operations by how many of the words their name, group, summary or help has; a word in the name counts
// most.
func search(ops []op.Op, query string) []op.Op {
	type hit struct {
		op    op.Op
		score int
	}
	var hits []hit
	for _, o := range ops {
		score := 0
		for word := range strings.FieldsSeq(strings.ToLower(query)) {
			score += 4*has(o.Name, word) + 2*has(strings.Join(o.Groups, " ")+" "+o.Family, word) +
				2*has(o.Summary, word) + has(o.Help, word)
		}
		if score > 0 && !o.Streams() {
			hits = append(hits, hit{o, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []op.Op
	for _, h := range hits[:min(mostFound, len(hits))] {
		found = append(found, h.op)
	}
	return found
}

func has(text, word string) int {
	if strings.Contains(strings.ToLower(text), word) {
		return 1
	}
	return 0
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
			f := fault.New(fault.InvalidInput, "call_tool: %w", err).WithHint("it takes name and arguments")
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
