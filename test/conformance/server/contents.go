package main

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// contents are tools whose answers hold kinds of content that no operation sends.
func contents() []fixture {
	text := &sdk.TextContent{Text: "This is text content"}
	image := &sdk.ImageContent{Data: png(), MIMEType: "image/png"}
	return []fixture{
		{name: "test_audio_content", run: holding(&sdk.AudioContent{Data: wav(), MIMEType: "audio/wav"})},
		{name: "test_embedded_resource", run: holding(embedded("test://embedded-resource"))},
		{name: "test_multiple_content_types", run: holding(text, image, embedded("test://mixed-content-resource"))},
		{name: "json_schema_2020_12_tool", run: holding(text), schema: schema2020},
		{name: "test_x_mcp_header", run: holding(text), schema: schemaHeader},
	}
}

func holding(c ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: c}, nil
	}
}

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain",
		Text: "Embedded resource content for testing."}}
}

// schema2020 uses what a schema of draft 2020-12 may use; a server has to list it word for word.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {
		"$anchor": "addressDef", "type": "object",
		"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
	}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// schemaHeader has an argument that clients repeat in a header.
const schemaHeader = `{
	"type": "object",
	"properties": {
		"region": {"type": "string", "x-mcp-header": "Region"},
		"level": {"type": "integer"}
	}
}`
