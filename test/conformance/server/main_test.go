package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServerAnswersFixturesInEachVersion calls a fixture that is an operation and one that is not, with a session and without.
func TestServerAnswersFixturesInEachVersion(t *testing.T) {
	for stateless, version := range map[bool]string{false: "2025-11-25", true: "2026-07-28"} {
		url, stop := start(t, stateless)
		c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"test_simple_text", "test_multiple_content_types"} {
			if r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err != nil || r.IsError || len(r.Content) == 0 {
				t.Errorf("%s: %v %v", name, r, err)
			}
		}
		s.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

// start serves until stop and reads the URL as the script does.
func start(t *testing.T, stateless bool) (url string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- listen(ctx, "127.0.0.1:0", stateless, write) }()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("no URL")
	}
	return lines.Text(), func() error { cancel(); return <-over }
}

func TestListenRefusesNonLoopbackAddress(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		if err := listen(t.Context(), address, false, io.Discard); !errors.Is(err, errReachable) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
