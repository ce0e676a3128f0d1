package agentwire

import (
	"crypto/hmac"
	"crypto/sha256"
)

// NonceSize is the number of random bytes that each side contributes to the proofs.
const NonceSize = 16

// AgentProof is an agent's proof that it has the token.
func AgentProof(token string, client, agent []byte) []byte {
	return proof(token, "agent", client, agent)
}

// ClientProof is a client's proof that it has the token.
func ClientProof(token string, client, agent []byte) []byte {
	return proof(token, "client", client, agent)
}

// proof is HMAC-SHA256 under the token. The word for the side prevents that one side's proof is sent back as the other's.
func proof(token, side string, client, agent []byte) []byte {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("ios-agent " + side))
	mac.Write(client)
	mac.Write(agent)
	return mac.Sum(nil)
}
