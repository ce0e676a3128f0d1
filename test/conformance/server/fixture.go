package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixture is a tool the suite calls.
type fixture struct {
	name   string
	run    sdk.ToolHandler
	schema string // of the input; empty: anything
}

func (f fixture) tool() *sdk.Tool {
	schema := f.schema
	if schema == "" {
		schema = `{"type": "object"}`
	}
	return &sdk.Tool{Name: f.name, Description: "Fixture of the conformance suite", InputSchema: json.RawMessage(schema)}
}

// says is a tool that answers with a text.
func says(name, text string) fixture {
	return fixture{name: name, run: func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return say("%s", text), nil
	}}
}

// say answers with a text.
func say(format string, args ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// pause is what the suite asks for between two notifications.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// The smallest picture and the shortest silence.
const (
	pngBase64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	wavBase64 = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func png() []byte { return decoded(pngBase64) }

func wav() []byte { return decoded(wavBase64) }

func decoded(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // our own constant
	}
	return raw
}
