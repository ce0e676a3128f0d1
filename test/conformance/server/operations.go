package main

import (
	"context"
	"errors"

	"ios-agent/internal/op"
)

// operations are the fixtures that an operation can play. They take the whole way of a real call: schema, decoding,
// caller, progress, envelope.
func operations() []op.Op {
	return []op.Op{
		op.New(declared("test_simple_text"), func(context.Context, *op.Call, struct{}) (plain, error) {
			return plain{"This is a simple text response for testing."}, nil
		}),
		op.New(declared("test_image_content"), func(context.Context, *op.Call, struct{}) (picture, error) {
			return picture{}, nil
		}),
		op.New(declared("test_error_handling"), func(context.Context, *op.Call, struct{}) (plain, error) {
			return plain{}, errors.New("this tool intentionally returns an error for testing")
		}),
		op.New(declared("test_tool_with_progress"), progress),
		// Its name misleads: the suite calls it to see that only notifications come before the answer.
		op.New(declared("test_streaming_elicitation"), progress),
	}
}

func declared(name string) op.Spec {
	return op.Spec{Name: name, Groups: []string{"fixture"}, Summary: "Fixture of the conformance suite"}
}

type plain struct {
	Message string `json:"message"`
}

// Text is the message.
func (p plain) Text() string { return p.Message }

type picture struct{}

// Text names the picture.
func (picture) Text() string { return "one red pixel" }

// Images is one pixel.
func (picture) Images() []op.Image { return []op.Image{{MIME: "image/png", Data: png()}} }

func progress(ctx context.Context, c *op.Call, _ struct{}) (plain, error) {
	for _, done := range []float64{0, 50, 100} {
		c.Report(op.Event{Message: "working", Done: done, Total: 100})
		pause(ctx)
	}
	return plain{"done"}, ctx.Err()
}
