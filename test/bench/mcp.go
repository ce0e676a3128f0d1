package main

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/machine/host"
)

// starting compares our MCP server with the least a server on the same SDK can do.
func starting(ctx context.Context, l *lab) ([]figure, error) {
	sample := func(c host.Cmd) func() (time.Duration, error) {
		return func() (time.Duration, error) { return l.firstAnswer(ctx, c) }
	}
	took := figure{name: "mcp: start to initialize", unit: millis, bound: 100}
	beside := figure{name: "mcp: start to initialize / a bare go-sdk server", unit: times, bound: startRatio}
	got, err := alternate(45, sample(l.command("ios-agent", "mcp")), sample(l.command("baresdk")))
	if err != nil {
		return nil, err
	}
	took.value, beside.value = inMillis(median(got[0])), ratio(got[0], got[1])
	return []figure{took, beside}, nil
}

// startRatio leaves room: with all that is still to come a start may take three times as long as a bare server's.
const startRatio = 2.7

// listing counts what a model's context pays before it has done anything.
func listing(ctx context.Context, l *lab) (figures []figure, err error) {
	s, err := l.serve(ctx, l.command("ios-agent", "mcp"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.initialize(ctx); err != nil {
		return nil, err
	}
	size, count, err := s.tools(ctx)
	return []figure{
		{name: "mcp: tools/list of the default set", value: float64(size), unit: octets, bound: 12 << 10},
		{name: "mcp: tools in the default set", value: float64(count), unit: pieces, bound: 12},
	}, err
}
