package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// unknown extends the error about an unknown tool with a suggestion. It remains a protocol error, as clients expect.
func (o Options) unknown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		call, is := req.(*mcp.CallToolRequest)
		var wire *jsonrpc.Error
		if !is || !errors.As(err, &wire) || !strings.HasPrefix(wire.Message, "unknown tool") {
			return result, err
		}
		said := *wire
		said.Message = fmt.Sprintf("%s: %s", wire.Message, o.meant(call.Params.Name))
		return result, &said
	}
}

// meant suggests a call for an unknown tool: the operation of that name or verb, or a tool with a similar name.
func (o Options) meant(name string) string {
	verb := strings.ReplaceAll(name, "_", "-")
	for _, one := range o.Catalogue.Ops() {
		if one.Verb != "" && (one.Name == name || one.Called(verb) || one.Called(strings.ReplaceAll(verb, "-", " "))) {
			return o.voice.Say("use " + hint.Do(o.Catalogue.ID(one)))
		}
	}
	var names []string
	for _, t := range o.Tools {
		names = append(names, t.Name)
	}
	if near := nearest.To(name, names, 2); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	if o.Manner.Alone {
		return "tools/list has the tools"
	}
	return findName + " finds operations by words"
}
