package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ios-agent/internal/machine/host"
)

// patience is how long a server may take to answer; a Node program that starts on a busy machine needs much of it.
const patience = time.Minute

// server is an MCP server on stdio. The bench uses bare lines instead of an SDK, because it measures the server's time and the number of
// bytes that it sends.
type server struct {
	process *host.Process
	in      io.WriteCloser
	lines   chan []byte
	left    chan struct{} // closed when the reader of the lines has ended
	asked   int
}

func (l *lab) serve(ctx context.Context, c host.Cmd) (*server, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close() // the child has its own; with ours open, writing to a dead one would hang
	s := &server{in: w, lines: make(chan []byte), left: make(chan struct{})}
	c.Stdin, c.OnLine = r, s.heard
	if s.process, err = l.host.Start(ctx, c); err != nil {
		w.Close()
		return nil, err
	}
	return s, nil
}

// heard hands a line to whoever asked. Logs come on stderr.
func (s *server) heard(stream host.Stream, line []byte) {
	if stream != host.Stdout {
		return
	}
	select {
	case s.lines <- bytes.Clone(line):
	case <-s.left:
	}
}

// Close ends the server as clients do, by the end of its input, and then by force.
func (s *server) Close() error {
	close(s.left)
	s.in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-s.process.Done():
	case <-time.After(2 * time.Second):
	}
	return s.process.Stop(ctx)
}

// message is what is read of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// ask sends a request and gives the result, and the bytes of the whole answer.
func (s *server) ask(ctx context.Context, method string, params any) (result json.RawMessage, size int, err error) {
	s.asked++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.asked, "method": method, "params": params}); err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		line, m, err := s.next(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", method, err)
		}
		if m.Method != "" || string(m.ID) != fmt.Sprint(s.asked) {
			continue // the server has something to say of its own
		}
		if m.Error != nil {
			return nil, 0, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, len(line), nil
	}
}

func (s *server) send(v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = s.in.Write(append(raw, '\n'))
	}
	return err
}

func (s *server) next(ctx context.Context) (line []byte, m message, err error) {
	select {
	case line = <-s.lines:
		return line, m, json.Unmarshal(line, &m)
	case <-s.process.Done():
		return nil, m, errors.New("the server left")
	case <-ctx.Done():
		return nil, m, ctx.Err()
	}
}

func (s *server) initialize(ctx context.Context) error {
	_, _, err := s.ask(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// tools lists the tools: how many bytes a client reads for how many of them.
func (s *server) tools(ctx context.Context) (size, count int, err error) {
	raw, size, err := s.ask(ctx, "tools/list", map[string]any{})
	if err != nil {
		return 0, 0, err
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
		Next  string            `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return 0, 0, err
	}
	if list.Next != "" {
		return 0, 0, errors.New("tools/list has more pages, which this bench does not count")
	}
	return size, len(list.Tools), nil
}

// errRefused says that a tool answered, but with an error.
var errRefused = errors.New("the tool refused")

// call calls a tool without arguments.
func (s *server) call(ctx context.Context, tool string) error {
	raw, _, err := s.ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": map[string]any{}})
	if err != nil {
		return err
	}
	var result struct {
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || !result.IsError {
		return err
	}
	return fmt.Errorf("%s: %w: %.200s", tool, errRefused, raw)
}

// firstAnswer is the time from exec to the answer to initialize.
func (l *lab) firstAnswer(ctx context.Context, c host.Cmd) (took time.Duration, err error) {
	began := time.Now()
	s, err := l.serve(ctx, c)
	if err != nil {
		return 0, err
	}
	err = s.initialize(ctx)
	took = time.Since(began)
	return took, errors.Join(err, s.Close())
}
