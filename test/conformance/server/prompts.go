package main

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func addPrompts(s *sdk.Server) {
	s.AddPrompt(prompt("test_simple_prompt"), prompting(&sdk.TextContent{Text: "This is a simple prompt for testing."}))
	s.AddPrompt(prompt("test_prompt_with_image"), prompting(&sdk.ImageContent{Data: png(), MIMEType: "image/png"},
		&sdk.TextContent{Text: "Please analyze the image above."}))
	s.AddPrompt(prompt("test_prompt_with_arguments", "arg1", "arg2"), promptArguments)
	s.AddPrompt(prompt("test_prompt_with_embedded_resource", "resourceUri"), promptResource)
	s.AddPrompt(prompt("test_input_required_result_prompt"), promptInput)
}

func prompt(name string, arguments ...string) *sdk.Prompt {
	p := &sdk.Prompt{Name: name, Description: "Fixture of the conformance suite"}
	for _, a := range arguments {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: "any text", Required: true})
	}
	return p
}

func prompting(c ...sdk.Content) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) { return messages(c...), nil }
}

func messages(c ...sdk.Content) *sdk.GetPromptResult {
	r := &sdk.GetPromptResult{Description: "Fixture of the conformance suite"}
	for _, one := range c {
		r.Messages = append(r.Messages, &sdk.PromptMessage{Role: "user", Content: one})
	}
	return r
}

func promptArguments(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	given := req.Params.Arguments
	return messages(&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"])}), nil
}

func promptResource(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return messages(embedded(req.Params.Arguments["resourceUri"]), &sdk.TextContent{Text: "Please process the embedded resource above."}),
		nil
}

// promptInput needs input before it can be given; see inputs.
func promptInput(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	if text := accepted(req.Params.InputResponses, "user_context", "context"); text != "" {
		return messages(&sdk.TextContent{Text: "Context: " + text}), nil
	}
	wanted := sdk.InputRequestMap{"user_context": elicitation("Please provide context for the prompt", schemaContext)}
	return &sdk.GetPromptResult{InputRequests: wanted}, nil
}
