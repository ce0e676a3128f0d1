//lint:file-ignore SA1019 sampling and roots are deprecated since 2026-07-28; the suite asks for them nevertheless.

package main

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The schemas of what the tools below ask for.
const (
	schemaName    = `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`
	schemaColor   = `{"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}`
	schemaOK      = `{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}`
	schemaContext = `{"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}`
)

// inputs are tools that need input and say so in their answer (SEP-2322); the client calls again with the input. The server remembers no
// state in between: the request state carries it.
func inputs() []fixture {
	const prefix = "test_input_required_result_"
	return []fixture{
		{name: prefix + "elicitation", run: inputElicitation},
		{name: prefix + "sampling", run: inputSampling},
		{name: prefix + "list_roots", run: inputRoots},
		{name: prefix + "request_state", run: inputState},
		{name: prefix + "tampered_state", run: inputState},
		{name: prefix + "multiple_inputs", run: inputMultiple},
		{name: prefix + "multi_round", run: inputRounds},
		{name: prefix + "capabilities", run: inputCapabilities},
	}
}

// need answers that input is needed.
func need(state string, wanted sdk.InputRequestMap) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{InputRequests: wanted, RequestState: state}, nil
}

func inputElicitation(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if name := accepted(req.Params.InputResponses, "user_name", "name"); name != "" {
		return say("Hello, %s!", name), nil
	}
	return need("", sdk.InputRequestMap{"user_name": elicitation("What is your name?", schemaName)})
}

func inputSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if text, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
		return say("Sampling response: %s", text), nil
	}
	return need("", sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")})
}

func inputRoots(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if roots, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); ok {
		return say("the client has %d roots", len(roots.Roots)), nil
	}
	return need("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
}

// inputState refuses a state that it did not give out. A server whose state says more than that would sign it.
func inputState(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	const state = "confirming"
	switch req.Params.RequestState {
	case "":
		return need(state, sdk.InputRequestMap{"confirm": elicitation("Please confirm", schemaOK)})
	case state:
		return say("state-ok"), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one of ours"}
}

func inputMultiple(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	given := req.Params.InputResponses
	name := accepted(given, "user_name", "name")
	greeting, greeted := sampled(given, "greeting")
	roots, rooted := given["client_roots"].(*sdk.ListRootsResult)
	if name != "" && greeted && rooted {
		return say("%s %s, %d roots", greeting, name, len(roots.Roots)), nil
	}
	return need("asked", everyInput())
}

func everyInput() sdk.InputRequestMap {
	return sdk.InputRequestMap{
		"user_name":    elicitation("What is your name?", schemaName),
		"greeting":     sampling("Generate a greeting"),
		"client_roots": &sdk.ListRootsParams{},
	}
}

// inputRounds asks for a name, then for a colour; the state carries the name into the second round.
func inputRounds(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	given := req.Params.InputResponses
	if req.Params.RequestState == "" {
		return need("round 1", sdk.InputRequestMap{"step1": elicitation("Step 1: What is your name?", schemaName)})
	}
	if name, second := strings.CutPrefix(req.Params.RequestState, "round 2, "); second {
		return say("%s likes %s", name, accepted(given, "step2", "color")), nil
	}
	return need("round 2, "+accepted(given, "step1", "name"),
		sdk.InputRequestMap{"step2": elicitation("Step 2: What is your favorite color?", schemaColor)})
}

// inputCapabilities asks only for what the client said it can give.
func inputCapabilities(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	can := req.ClientCapabilities()
	if len(req.Params.InputResponses) > 0 || can == nil {
		return say("nothing more to ask for"), nil
	}
	wanted := everyInput()
	for name, able := range map[string]bool{"user_name": can.Elicitation != nil, "greeting": can.Sampling != nil,
		"client_roots": can.RootsV2 != nil} {
		if !able {
			delete(wanted, name)
		}
	}
	if len(wanted) == 0 {
		return say("the client can be asked for nothing"), nil
	}
	return need("", wanted)
}

// accepted is a field of an elicitation's answer; empty unless the user gave it.
func accepted(given sdk.InputResponseMap, key, field string) string {
	answer, ok := given[key].(*sdk.ElicitResult)
	if !ok || answer.Action != "accept" {
		return ""
	}
	text, _ := answer.Content[field].(string)
	return text
}

func sampled(given sdk.InputResponseMap, key string) (string, bool) {
	answer, ok := given[key].(*sdk.CreateMessageWithToolsResult)
	if !ok {
		return "", false
	}
	for _, c := range answer.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			return text.Text, true
		}
	}
	return "", true
}
