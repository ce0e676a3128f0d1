package agentwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// pair returns a client and the agent's end of its stream.
func pair(t *testing.T) (*Client, net.Conn, *Conn) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	return NewClient(near), far, NewConn(far)
}

// serve answers requests from the script, one step each, until it is used up. It returns when that is done.
func serve(t *testing.T, c *Conn, steps ...func(id uint32, r Request) error) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, step := range steps {
			id, r, err := c.ReadRequest()
			if err == nil {
				err = step(id, r)
			}
			if err != nil {
				t.Errorf("agent: %v", err)
				return
			}
		}
	}()
	return func() { <-done }
}

func answer(c *Conn, r Response) func(uint32, Request) error {
	return func(id uint32, _ Request) error { return c.WriteResponse(id, r) }
}

// welcome answers a hello and switches the agent's side.
func welcome(c *Conn) func(uint32, Request) error {
	return func(id uint32, _ Request) error {
		w, err := NewWelcome(HelloInfo{Version, "a", "b", "u", 7})
		if err != nil {
			return err
		}
		err = c.WriteResponse(id, w)
		c.SetVersion(Version)
		return err
	}
}

func wantSend(t *testing.T, err error, sent bool, target error) {
	t.Helper()
	s, ok := errors.AsType[*SendError](err)
	if !ok || s.Sent != sent || !errors.Is(err, target) {
		t.Errorf("error %v, want sent=%v because of %v", err, sent, target)
	}
}

func TestHelloSpeaksVersion3(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, welcome(agent), answer(agent, &Value{new("u")}))
	defer wait()
	info, err := client.Hello(t.Context(), "", "test")
	if want := (HelloInfo{3, "a", "b", "u", 7}); err != nil || info != want || client.Version() != 3 {
		t.Fatalf("hello: %+v, %v, version %d", info, err, client.Version())
	}
	v, err := Ask[*Value](t.Context(), client, &DeviceUDID{})
	if err != nil || *v.Text != "u" {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestHelloFallsBackToVersion1(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, answer(agent, &ErrorText{"decode error: invalid opcode 0x20"}), answer(agent, &OK{}))
	defer wait()
	info, err := client.Hello(t.Context(), "", "test")
	if err != nil || info != (HelloInfo{Version: 1}) {
		t.Fatalf("hello: %+v, %v", info, err)
	}
	if _, err := Ask[*OK](t.Context(), client, &Heartbeat{}); err != nil {
		t.Error(err)
	}
}

func TestUnauthorizedHelloReturnsError(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, answer(agent, &Fault{CodeUnauthorized, "wrong token"}))
	defer wait()
	_, err := client.Hello(t.Context(), "wrong", "test")
	if e, ok := errors.AsType[*AgentError](err); !ok || e.Code != CodeUnauthorized {
		t.Errorf("error %v", err)
	}
}

func TestAgentErrorsKeepTheConnection(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, answer(agent, &ErrorText{"no"}), answer(agent, &Fault{CodeUnstable, "moving"}), answer(agent, &OK{}))
	defer wait()
	for _, want := range []AgentError{{Code: CodeNone, Message: "no"}, {Code: CodeUnstable, Message: "moving"}} {
		_, err := client.Do(t.Context(), &TapCoord{})
		if got, ok := errors.AsType[*AgentError](err); !ok || *got != want {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	if _, err := client.Do(t.Context(), &Heartbeat{}); err != nil {
		t.Error(err)
	}
}

func TestEndedContextSendsNothing(t *testing.T) {
	client, _, _ := pair(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.Do(ctx, &TapCoord{})
	wantSend(t, err, false, context.Canceled)
}

func TestBadRequestKeepsTheConnection(t *testing.T) {
	client, _, agent := pair(t)
	_, err := client.Do(t.Context(), &TypeText{"\xff"})
	wantSend(t, err, false, err)
	wait := serve(t, agent, answer(agent, &OK{}))
	defer wait()
	if _, err := client.Do(t.Context(), &Heartbeat{}); err != nil {
		t.Error(err)
	}
}

func TestCancelledRequestClosesStream(t *testing.T) {
	client, far, agent := pair(t)
	ctx, cancel := context.WithCancel(t.Context())
	wait := serve(t, agent, func(uint32, Request) error { cancel(); return nil })
	_, err := client.Do(ctx, &TapCoord{})
	wantSend(t, err, true, context.Canceled)
	wait()
	if err := agent.WriteResponse(1, &OK{}); err == nil {
		t.Error("a late answer found a reader")
	}
	_, err = client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, false, io.ErrClosedPipe)
	if _, err := far.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the agent reads %v, want EOF", err)
	}
}

func TestAgentDeathBeforeAnswerCountsAsSent(t *testing.T) {
	client, far, agent := pair(t)
	wait := serve(t, agent, func(uint32, Request) error { return far.Close() })
	defer wait()
	_, err := client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, true, err) // the pipe's error at its closed end depends on the order of events
}

func TestTruncatedAnswerCountsAsSent(t *testing.T) {
	client, far, agent := pair(t)
	wait := serve(t, agent, func(uint32, Request) error {
		_, err := far.Write([]byte("\x08\x00\x00\x00\xa0\x01"))
		return errors.Join(err, far.Close())
	})
	defer wait()
	_, err := client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, true, io.ErrUnexpectedEOF)
}

func TestAnswerToAnotherRequestIsRefused(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, welcome(agent), func(id uint32, _ Request) error { return agent.WriteResponse(id+1, &OK{}) })
	defer wait()
	if _, err := client.Hello(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	_, err := client.Do(t.Context(), &TapCoord{})
	wantKind(t, err, InvalidPayload)
	_, err = client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, false, io.ErrClosedPipe)
}

func TestUnexpectedKindClosesTheStream(t *testing.T) {
	client, _, agent := pair(t)
	wait := serve(t, agent, answer(agent, &OK{}))
	defer wait()
	_, err := Ask[*Tree](t.Context(), client, &DumpTree{})
	wantKind(t, err, InvalidPayload)
	wantSend(t, err, true, err)
	_, err = client.Do(t.Context(), &Heartbeat{})
	wantSend(t, err, false, io.ErrClosedPipe)
}

func TestQueuedRequestEndsWithItsContext(t *testing.T) {
	client, _, agent := pair(t)
	asked, release := make(chan struct{}), make(chan struct{})
	wait := serve(t, agent, func(id uint32, _ Request) error {
		close(asked)
		<-release
		return agent.WriteResponse(id, &OK{})
	})
	first := make(chan error)
	go func() { _, err := client.Do(t.Context(), &TapCoord{}); first <- err }()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.Do(ctx, &TapCoord{})
	wantSend(t, err, false, context.Canceled)
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	wait()
}

// The two tests below run on synctest's clock: net.Pipe is a pure Go stream, deadlines and all.

func TestSilentAgentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, agent := pair(t)
		wait := serve(t, agent, func(uint32, Request) error { return nil })
		start := time.Now()
		_, err := client.Do(t.Context(), &TapElement{"x", new(uint64(2000))})
		wantSend(t, err, true, os.ErrDeadlineExceeded)
		if took := time.Since(start); took != 17*time.Second {
			t.Errorf("gave up after %s, want 17s", took)
		}
		wait()
	})
}

func TestHeartbeatsRenewTheTimeoutButNotTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, agent := pair(t)
		beats := func(id uint32, _ Request) error {
			for range 5 {
				time.Sleep(4 * time.Second)
				if err := agent.WriteHeartbeat(id, Pulse{}); err != nil {
					return err
				}
			}
			return agent.WriteResponse(id, &OK{})
		}
		forever := func(id uint32, _ Request) error {
			for agent.WriteHeartbeat(id, Pulse{}) == nil {
				time.Sleep(4 * time.Second)
			}
			return nil
		}
		wait := serve(t, agent, welcome(agent), beats, forever)
		if _, err := client.Hello(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Do(t.Context(), &TapCoord{}); err != nil {
			t.Errorf("after five heartbeats: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := client.Do(ctx, &TapCoord{})
		wantSend(t, err, true, context.DeadlineExceeded)
		wait()
	})
}

// challenge is an agent's answer to a Greet.
func challenge(c *Conn, token string, nonce []byte) func(uint32, Request) error {
	return func(id uint32, r Request) error {
		greet, ok := r.(*Greet)
		if !ok || greet.Version != Version || len(greet.Nonce) != NonceSize {
			return fmt.Errorf("the greeting is %#v", r)
		}
		return c.WriteResponse(id, &Challenge{Version, nonce, AgentProof(token, greet.Nonce, nonce)})
	}
}

func TestBothSidesProveTheToken(t *testing.T) {
	client, _, agent := pair(t)
	nonce := bytes.Repeat([]byte{7}, NonceSize)
	var greeting *Greet
	wait := serve(t, agent, func(id uint32, r Request) error {
		greeting = r.(*Greet)
		return challenge(agent, "token", nonce)(id, r)
	}, func(id uint32, r Request) error {
		if p, ok := r.(*Prove); !ok || !bytes.Equal(p.Proof, ClientProof("token", greeting.Nonce, nonce)) {
			return fmt.Errorf("the proof is %#v", r)
		}
		return welcome(agent)(id, r)
	})
	defer wait()
	info, err := client.Hello(t.Context(), "token", "test")
	if err != nil || client.Version() != 3 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestHelloRefusesAgentWithWrongProof: a program that listens at the agent's address gets neither the token nor a proof of it.
func TestHelloRefusesAgentWithWrongProof(t *testing.T) {
	for name, nonce := range map[string][]byte{"a wrong proof": make([]byte, NonceSize), "a short nonce": {1}} {
		t.Run(name, func(t *testing.T) {
			client, _, agent := pair(t)
			wait := serve(t, agent, challenge(agent, "guess", nonce))
			defer wait()
			if _, err := client.Hello(t.Context(), "token", "test"); !errors.Is(err, ErrImpostor) {
				t.Error(err)
			}
			if _, err := client.Do(t.Context(), &TapCoord{}); err == nil {
				t.Error("the stream is still open")
			}
		})
	}
}

// TestHeartbeatsSeparateHungFromSlowAgent: an agent with pulses is dead after 5 s of silence, hangs when its main queue is stuck for longer
// than the request may keep it, and is waited for while the queue answers.
func TestHeartbeatsSeparateHungFromSlowAgent(t *testing.T) {
	for _, c := range []struct {
		name  string
		req   Request
		stuck func(beat int) uint32 // milliseconds; ^0 ends the heartbeats
		beats int
		gone  bool
		after time.Duration
	}{
		{"silent", &TapCoord{}, func(int) uint32 { return ^uint32(0) }, 0, true, Silence},
		{"stuck in a look", &Look{}, func(n int) uint32 { return uint32(n) * 1000 }, 60, true, 41 * time.Second},
		{"stuck in an input", &TapCoord{}, func(n int) uint32 { return uint32(n) * 1000 }, 60, true, 31 * time.Second},
		{"stuck as long as an input may be", &TapCoord{}, func(n int) uint32 { return uint32(n) * 1000 }, 29, false, 29 * time.Second},
		{"slow", &Look{}, func(int) uint32 { return 0 }, 30, false, 30 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, _, agent := pair(t)
				wait := serve(t, agent, welcome(agent), func(id uint32, r Request) error {
					for n := range c.beats {
						time.Sleep(time.Second)
						if agent.WriteHeartbeat(id, Pulse{c.stuck(n + 1), r.Opcode()}) != nil {
							return nil // the client has left
						}
					}
					if c.gone {
						return nil
					}
					return agent.WriteResponse(id, &OK{})
				})
				if _, err := client.Hello(t.Context(), "", ""); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err := client.Do(t.Context(), c.req)
				lost, is := errors.AsType[*SendError](err)
				if is != c.gone || is && !lost.AgentGone() || time.Since(began) != c.after {
					t.Errorf("%v after %s", err, time.Since(began))
				}
				client.Close()
				wait()
			})
		})
	}
}

// TestSentFlagIsReportedWithError: the frame with the flag sent comes before the answer, and counts whatever the answer is.
func TestSentFlagIsReportedWithError(t *testing.T) {
	input, err := MarshalRequest(&TapCoord{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, sent := range map[string]bool{"sent": true, "refused": false} {
		t.Run(name, func(t *testing.T) {
			client, _, agent := pair(t)
			wait := serve(t, agent, welcome(agent), func(id uint32, _ Request) error {
				if sent {
					if err := agent.WriteSent(id); err != nil {
						return err
					}
				}
				return agent.WriteResponse(id, &Fault{CodeException, "no"})
			})
			defer wait()
			if _, err := client.Hello(t.Context(), "", ""); err != nil {
				t.Fatal(err)
			}
			_, err := client.Do(t.Context(), &Act{Input: input})
			if no, is := errors.AsType[*AgentError](err); !is || no.Acted != sent {
				t.Errorf("%#v", err)
			}
		})
	}
}
