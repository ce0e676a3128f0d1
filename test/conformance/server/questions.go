//lint:file-ignore SA1019 sampling is deprecated since 2026-07-28; the suite still asks servers of older versions for it.

package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// questions are tools that ask the client in the middle of a call, which needs a session.
func questions() []fixture {
	return []fixture{
		{name: "test_sampling", run: sample},
		{name: "test_elicitation", run: elicit(schemaUser)},
		{name: "test_elicitation_sep1034_defaults", run: elicit(schemaDefaults)},
		{name: "test_elicitation_sep1330_enums", run: elicit(schemaEnums)},
		{name: "test_missing_capability", run: needSampling},
	}
}

func sample(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	answer, err := req.Session.CreateMessage(ctx, sampling(in.Prompt))
	if err != nil {
		return nil, err
	}
	text, _ := answer.Content.(*sdk.TextContent)
	return say("LLM response: %v", text), nil
}

func sampling(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 100,
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: prompt}}}}
}

func elicit(schema string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := req.Session.Elicit(ctx, elicitation("Please answer", schema))
		if err != nil {
			return nil, err
		}
		return say("Elicitation result: action=%s, content=%v", answer.Action, answer.Content), nil
	}
}

func elicitation(message, schema string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

// needSampling refuses a client that cannot sample with the error made for that.
func needSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil {
		return say("the client can sample"), nil
	}
	need := &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: need})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
}

const schemaUser = `{"type": "object", "properties": {"username": {"type": "string"}}, "required": ["username"]}`

// schemaDefaults has a default of every primitive type (SEP-1034).
const schemaDefaults = `{"type": "object", "properties": {
	"name": {"type": "string", "default": "John Doe"},
	"age": {"type": "integer", "default": 30},
	"score": {"type": "number", "default": 95.5},
	"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
	"verified": {"type": "boolean", "default": true}
}}`

// schemaEnums has every way to offer a choice (SEP-1330).
const schemaEnums = `{"type": "object", "properties": {
	"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
	"titledSingle": {"type": "string", "oneOf": [
		{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"},
		{"const": "value3", "title": "Third Option"}]},
	"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
	"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3,
		"items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
	"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
		{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"},
		{"const": "value3", "title": "Third Choice"}]}}
}}`
