package main

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The template's URI is its prefix, a number and its suffix.
const templatePrefix, templateSuffix = "test://template/", "/data"

func addResources(s *sdk.Server) {
	for _, r := range []*sdk.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: png()},
		{URI: "test://watched-resource", MIMEType: "text/plain", Text: "Watched resource content"},
	} {
		s.AddResource(&sdk.Resource{URI: r.URI, Name: r.URI, MIMEType: r.MIMEType}, reading(r))
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: templatePrefix + "{id}" + templateSuffix,
		MIMEType: "application/json"}, readTemplate)
}

func reading(c *sdk.ResourceContents) sdk.ResourceHandler {
	return func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	}
}

func readTemplate(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, templatePrefix), templateSuffix)
	text := fmt.Sprintf(`{"id": %q, "templateTest": true, "data": "Data for ID: %s"}`, id, id)
	return reading(&sdk.ResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: text})(ctx, req)
}

// complete knows no completions; the suite wants to be answered, not helped.
func complete(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
}

// The SDK keeps the subscriptions itself, once a server says that it takes them.
func subscribe(context.Context, *sdk.SubscribeRequest) error { return nil }

func unsubscribe(context.Context, *sdk.UnsubscribeRequest) error { return nil }
