package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/tool"
)

// Client talks to the service.
type Client struct {
	Dial func(context.Context) (net.Conn, error) // connects; it may start the service first
}

// ErrInterrupted means that the service died during a run.
var ErrInterrupted = errors.New("the connection to the virtual CoreSimulatorService was interrupted")

// patience is the maximum time of a tool after a ctrl-C: it may have to write a video or end an app.
const patience = 10 * time.Second

// Run plays a tool by its name. Cancelling ctx sends the tool a ctrl-C; output after that is still printed. The death of the service is
// an error.
func (c Client) Run(ctx context.Context, name string, r tool.Call) (exit int, err error) {
	conn, err := c.send(ctx, request{Kind: kindRun, Tool: name, Args: r.Args, Dir: r.Dir, Env: r.Env})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	out := &words{conn: conn}
	go out.copy(r.Stdin)
	defer context.AfterFunc(ctx, func() {
		out.say(word{Interrupt: true})
		_ = conn.SetReadDeadline(time.Now().Add(patience)) // fails only on a closed connection
	})()
	for lines := json.NewDecoder(conn); ; {
		var answer reply
		if err := lines.Decode(&answer); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrInterrupted, err)
		}
		switch {
		case answer.Error != "":
			return 0, errors.New(answer.Error)
		case answer.Exit != nil:
			return *answer.Exit, nil
		}
		to := r.Stdout
		if answer.Stream == 2 {
			to = r.Stderr
		}
		if _, err := to.Write(answer.Data); err != nil {
			return 0, err
		}
	}
}

// words are the messages of a run's client after its request.
type words struct {
	mu   sync.Mutex
	conn net.Conn
}

// say sends a word. An error means that the service died, which the reader of the answers notices too.
func (w *words) say(one word) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = json.NewEncoder(w.conn).Encode(one)
}

func (w *words) copy(from io.Reader) {
	buffer := make([]byte, 32<<10)
	for from != nil {
		n, err := from.Read(buffer)
		if n > 0 {
			w.say(word{Input: buffer[:n]})
		}
		if err != nil {
			break
		}
	}
	w.say(word{End: true})
}

// Agent is this process registered as an agent. Hold lasts until the service sends crash or dies.
type Agent struct {
	Port int // its port on the physical device; 0: on a simulator

	id    string
	conn  net.Conn
	lines *json.Decoder
	c     Client
}

// ErrCrash means that the agent's process must die now, like a crashed test runner.
var ErrCrash = errors.New("the test runner crashed")

// Agent registers this process as an agent.
func (c Client) Agent(ctx context.Context, spec AgentSpec) (*Agent, error) {
	conn, err := c.send(ctx, request{Kind: kindAgent, Agent: spec})
	if err != nil {
		return nil, err
	}
	a := &Agent{conn: conn, lines: json.NewDecoder(conn), c: c}
	var r reply
	if err := a.lines.Decode(&r); err != nil {
		conn.Close()
		return nil, err
	}
	if r.Error != "" {
		conn.Close()
		return nil, errors.New(r.Error)
	}
	a.id, a.Port = r.ID, r.Port
	return a, nil
}

// Hold waits until the agent must end. It returns nil if a client ended the agent, ErrCrash, or the error of the connection to the
// service.
func (a *Agent) Hold() error {
	var r reply
	if err := a.lines.Decode(&r); err != nil {
		return err
	}
	if r.Ended {
		return nil
	}
	return ErrCrash
}

// Stream opens a connection that speaks the agent protocol.
func (a *Agent) Stream(ctx context.Context) (net.Conn, error) {
	return a.c.send(ctx, request{Kind: kindStream, ID: a.id})
}

// Carry copies bytes between a client and the agent until either side ends.
func (a *Agent) Carry(ctx context.Context, client net.Conn) {
	defer client.Close()
	stream, err := a.Stream(ctx)
	if err != nil {
		return
	}
	defer stream.Close()
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{client, stream}, {stream, client}} {
		both.Go(func() {
			io.Copy(pair[1], pair[0])
			pair[0].Close()
			pair[1].Close()
		})
	}
	both.Wait()
}

// Close ends the agent and its test runner, and waits for the service's confirmation. A killed process skips this, so its runner may
// keep running.
func (a *Agent) Close() error {
	if _, err := a.conn.Write([]byte{'\n'}); err == nil { // fails only if the service and its agents have ended
		_ = a.conn.SetReadDeadline(time.Now().Add(farewell))
		_, _ = io.Copy(io.Discard, a.conn) // the service closes the connection
	}
	return a.conn.Close()
}

// farewell is the maximum time for the end of an agent in the service.
const farewell = 5 * time.Second

// Status returns the status of the service.
func (c Client) Status(ctx context.Context) (Status, error) {
	r, err := c.ask(ctx, request{Kind: kindStatus})
	if err != nil || r.Status == nil {
		return Status{}, err
	}
	return *r.Status, nil
}

func (c Client) ask(ctx context.Context, req request) (reply, error) {
	conn, err := c.send(ctx, req)
	if err != nil {
		return reply{}, err
	}
	defer conn.Close()
	var r reply
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return reply{}, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (c Client) send(ctx context.Context, req request) (net.Conn, error) {
	conn, err := c.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(conn).Encode(req); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
