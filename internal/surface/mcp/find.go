package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
)

// The tools of every set.
const (
	findName = "find_tools"
	callName = "call_tool"
)

// Limits of an answer of find_tools: a model wants one operation, and pays for reading the others.
const (
	mostFound = 4
	mostSaid  = 700 // bytes of text
)

// findTools searches all operations, so that the default set can be small.
func findTools(o Options) (*mcp.Tool, mcp.ToolHandler) {
	tool := &mcp.Tool{
		Name:        findName,
		Description: "Find operations beyond the listed tools by words; call them with call_tool.",
		Annotations: annotations(op.ReadOnly | op.Idempotent),
		InputSchema: object(map[string]*jsonschema.Schema{
			"query": {Type: "string", Description: "what you want to do; empty lists the groups"},
		}),
	}
	all := o.Catalogue.Ops()
	read := sync.OnceValue(func() *index { return newIndex(all) })
	return tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Query string }
		if err := json.Unmarshal(arguments(req), &in); err != nil {
			return o.result(op.Failed(fault.New(fault.InvalidInput, "find_tools: %w", fault.OfJSON(err)), op.Meta{}), nil), nil
		}
		found := read().search(in.Query)
		if named, err := o.Catalogue.Lookup(in.Query); err == nil && !named.Streams() {
			found = []op.Op{named}
		}
		list := []map[string]any{}
		for _, f := range found {
			list = append(list, map[string]any{"name": o.Catalogue.ID(f), "summary": f.Summary, "inputs": signature(f, nil)})
		}
		e := op.Succeeded(map[string]any{"tools": list}, op.Meta{})
		e.Stdout = o.foundText(all, found)
		return o.result(e, nil), nil
	}
}

// foundText has a line for each operation, the first one with most of its inputs.
func (o Options) foundText(all, found []op.Op) string {
	head := fmt.Sprintf("%d of %d operations; an input is text unless its type or values follow", len(found), len(all))
	if len(found) == 0 {
		return head + "\ngroups: " + strings.Join(groups(all), ", ")
	}
	lines, room, left := []string{head}, mostSaid-len(head), usualInputs(all)
	if len(found) == 1 {
		left = nil
	}
	for i, f := range found {
		share := room / (len(found) - i)
		if i == 0 && len(found) > 1 {
			share = room / 2
		}
		inputs := signature(f, left)
		if len(inputs) == 0 {
			inputs = signature(f, nil) // only usual inputs
		}
		line := foundLine(o.Catalogue.ID(f), f.Summary, inputs, share-1)
		lines, room = append(lines, line), room-len(line)-1
	}
	return strings.Join(lines, "\n")
}

// foundLine is a call and its purpose, cut to a maximum number of bytes: inputs that do not fit become an ellipsis.
func foundLine(name, summary string, inputs []string, most int) string {
	const more = "…"
	said := ": " + brief.Clip(summary, most-len(name)-len(": (…)"))
	room, taken := most-len(name)-len(said)-len("(, …)"), inputs
	for i, input := range inputs {
		if room -= len(input) + len(", "); room < 0 {
			taken = append(slices.Clone(inputs[:i]), more)
			break
		}
	}
	return name + "(" + strings.Join(taken, ", ") + ")" + said
}

// usualInputs are the optional inputs of so large a share of the operations that they do not help to choose one.
func usualInputs(all []op.Op) []string {
	times := map[string]int{}
	for _, o := range all {
		for _, f := range o.Fields() {
			times[f.Name]++
		}
	}
	var usual []string
	for name, n := range times {
		if n*usualShare > len(all) {
			usual = append(usual, name)
		}
	}
	return usual
}

// usualShare is the share of operations that makes an input usual.
const usualShare = 6

// signature lists an operation's inputs: required ones first, optional ones with a question mark, with the type or the values unless any
// text is allowed. Some optional inputs can be left out.
func signature(o op.Op, without []string) []string {
	var inputs []string
	fields := slices.Clone(o.Fields())
	slices.SortStableFunc(fields, func(a, b op.Field) int { return cmp.Compare(optional(a), optional(b)) })
	for _, f := range fields {
		if !f.Required && slices.Contains(without, f.Name) {
			continue
		}
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

func optional(f op.Field) int {
	if f.Required {
		return 0
	}
	return 1
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

// callTool calls any operation by name. It refuses operations that may lose data unless the server was started with permission: a client
// that asks its user about each tool cannot distinguish the calls of this one.
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
			f := fault.New(fault.InvalidInput, "call_tool: %w", fault.OfJSON(err)).WithHint("give name and arguments")
			return o.result(op.Failed(f, op.Meta{}), nil), nil
		}
		target, err := o.Catalogue.Lookup(in.Name)
		if err == nil && target.Hints.Has(op.Destructive) && !o.Destructive {
			err = fault.New(fault.Forbidden, "%s may lose data and is not allowed through call_tool", target.Name).
				WithHint("%s allows it, or %s does it",
					hint.Command("ios-agent mcp --allow-destructive"), hint.Command("ios-agent "+target.Verb))
		}
		if err != nil {
			return o.result(op.Failed(err, op.Meta{}), in.Arguments), nil
		}
		return o.answer(ctx, req, o.Catalogue.ID(target), in.Arguments), nil
	}
}

// arguments are the arguments of a call; clients may omit them.
func arguments(req *mcp.CallToolRequest) []byte {
	return []byte(cmp.Or(string(req.Params.Arguments), "{}"))
}

func object(properties map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, Required: required,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}
