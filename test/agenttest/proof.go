package agenttest

import (
	"bytes"
	"errors"
	"slices"

	"ios-agent/internal/driver/agentwire"
)

const secret = "secret"

// challenged greets, and wants the agent's proof of the token.
func (d *driver) challenged(nonce []byte) *agentwire.Challenge {
	d.Helper()
	c := ask[*agentwire.Challenge](d, &agentwire.Greet{Version: agentwire.Version, Nonce: nonce, Client: "agenttest"})
	if len(c.Nonce) != agentwire.NonceSize || !bytes.Equal(c.Proof, agentwire.AgentProof(secret, nonce, c.Nonce)) {
		d.Errorf("the agent does not prove its token: %+v", c)
	}
	if c.Version != agentwire.Version {
		d.Errorf("the challenge is of version %d", c.Version)
	}
	return c
}

// proofs: a client is let in by the proof of this greeting, and by nothing else. A refusal leaves the connection as it was.
func proofs(b *bench) {
	s := b.open(Options{Token: secret})
	d := &driver{b, b.dial(s)}
	nonce := bytes.Repeat([]byte{7}, agentwire.NonceSize)
	right := func(c *agentwire.Challenge) []byte { return agentwire.ClientProof(secret, nonce, c.Nonce) }

	d.fault(agentwire.CodeUnauthorized, &agentwire.Hello{Version: agentwire.Version, Token: secret, Client: "agenttest"})
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: make([]byte, 32)}) // a proof without a challenge
	first := d.challenged(nonce)
	wrong := slices.Clone(right(first))
	wrong[0] ^= 1
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: wrong})
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: right(first)}) // after a wrong one the client greets again

	second := d.challenged(nonce)
	if bytes.Equal(first.Nonce, second.Nonce) {
		b.Error("two challenges are the same")
	}
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: right(first)}) // of the greeting before
	third := d.challenged(nonce)
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: third.Proof}) // the agent's own
	d.challenged(nonce)
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{})
	d.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: agentwire.ClientProof("", nonce, first.Nonce)})

	last := d.challenged(nonce)
	proof := right(last)
	info, err := ask[*agentwire.Welcome](d, &agentwire.Prove{Proof: proof}).Info()
	if err != nil || info.Version != agentwire.Version || info.UDID != UDID {
		b.Fatalf("welcome: %+v, %v", info, err)
	}
	d.ok(&agentwire.Heartbeat{})

	listener := &driver{b, b.dial(s)} // who heard it all cannot say it again
	listener.challenged(nonce)
	listener.fault(agentwire.CodeUnauthorized, &agentwire.Prove{Proof: proof})
	d.ok(&agentwire.Heartbeat{})
}

// impostor: a client that has another token sees through the agent before it says anything.
func impostor(b *bench) {
	s := b.open(Options{Token: secret})
	for _, other := range []string{"Secret", "secret ", "secre"} {
		if _, err := b.dial(s).Hello(b.ctx, other, "agenttest"); !errors.Is(err, agentwire.ErrImpostor) {
			b.Errorf("with %q: %v", other, err)
		}
	}
}
