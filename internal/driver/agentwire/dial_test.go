package agentwire

import (
	"io"
	"net"
	"testing"
)

// listen returns a client over real TCP and the agent's end.
func listen(t *testing.T) (*Client, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := Dial(t.Context(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); far.Close() })
	return client, far
}

// arrived waits until the client's kernel has what the agent did, by looking as the client does.
func arrived(t *testing.T, client *Client) {
	t.Helper()
	for t.Context().Err() == nil {
		if waiting, err := pending(client.net); waiting || err != nil {
			return
		}
	}
}

func TestDeadIdleAgentIsDetectedBeforeSending(t *testing.T) {
	client, far := listen(t)
	far.Close()
	arrived(t, client)
	_, err := client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, false, io.EOF)
	_, err = client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, false, net.ErrClosed)
}

func TestUnrequestedBytesFailNextRequest(t *testing.T) {
	client, far := listen(t)
	if err := NewConn(far).WriteResponse(0, &OK{}); err != nil {
		t.Fatal(err)
	}
	arrived(t, client)
	_, err := client.Do(t.Context(), &TapCoord{})
	wantSend(t, err, false, err)
}

func TestClientExchangesMessagesOverTCP(t *testing.T) {
	client, far := listen(t)
	agent := NewConn(far)
	wait := serve(t, agent, welcome(agent), answer(agent, &OK{}), answer(agent, &OK{}))
	defer wait()
	if _, err := client.Hello(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := client.Do(t.Context(), &Heartbeat{}); err != nil {
			t.Error(err)
		}
	}
}

func TestRefusedDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Dial(t.Context(), l.Addr().String()); err == nil {
		t.Error("dialled a closed port")
	}
}
