package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
)

// Discovery is a tool that lists more tools: the tools of the workflow that fits a task. The client gets a notification that its list
// changed.
type Discovery struct {
	Tool string // its name. The operation takes task_description, and its result has groups; a named group is used as given
	// Workflows describe the purpose of each group. The client's model chooses among them, if the client offers sampling.
	Workflows map[string]string
	All       []Tool // tools that can be listed
}

// discovery is a Discovery in use.
type discovery struct {
	Discovery
	options Options
	server  *mcp.Server

	mu     sync.Mutex
	listed []string // names of the tools that it listed
}

// add replaces the operation's own tool by this one, if the set has it.
func (d *discovery) add(o Options) {
	d.options = o
	i := slices.IndexFunc(d.options.Tools, func(t Tool) bool { return t.Name == d.Tool })
	if i < 0 {
		return
	}
	t := d.options.Tools[i]
	d.server.AddTool(t.stub(), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		input, chosen := d.chosen(ctx, req)
		e := d.options.call(ctx, req, d.options.Catalogue.ID(t.Op), input)
		if e.Error == nil {
			e = d.list(e, cmp.Or(chosen, "words"))
		}
		return d.options.result(e, input), nil
	})
}

// list adds the tools of the found groups to the client's list, removes the tools of earlier groups, and returns the listed names.
func (d *discovery) list(e op.Envelope, by string) op.Envelope {
	var found struct{ Groups []string }
	if err := json.Unmarshal(e.Result, &found); err != nil {
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.listed
	d.listed = nil
	lines, told := []string{""}, []map[string]any{}
	for _, t := range d.All {
		if !slices.ContainsFunc(t.Op.Groups, func(g string) bool { return slices.Contains(found.Groups, g) }) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s(%s): %s", t.Name, strings.Join(signature(t.Op, nil), ", "), t.Op.Summary))
		told = append(told, map[string]any{"name": t.Name, "summary": t.Op.Summary})
		if !d.always(t.Name) {
			d.listed = append(d.listed, t.Name)
			if !slices.Contains(before, t.Name) {
				d.server.AddTool(t.stub(), d.options.handler(d.options.Catalogue.ID(t.Op)))
			}
		}
	}
	gone := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(d.listed, name) })
	if len(gone) > 0 {
		d.server.RemoveTools(gone...)
	}
	lines[0] = fmt.Sprintf("%s: %d tools, now listed; chosen by %s", strings.Join(found.Groups, ", "), len(told), by)
	answer := op.Succeeded(map[string]any{"groups": found.Groups, "tools": told, "chosenBy": by}, e.Meta)
	answer.Stdout = strings.Join(lines, "\n")
	return answer
}

// isListed reports whether a tool is listed because of a found workflow.
func (d *discovery) isListed(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.listed, name)
}

func (d *discovery) always(name string) bool {
	return slices.ContainsFunc(d.options.Tools, func(t Tool) bool { return t.Name == name })
}
