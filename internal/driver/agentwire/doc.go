// Package agentwire is the binary protocol between the host and the XCTest agent: messages, frames, the tree's
// JSON, and a lock-step client. The bytes are described in docs/agent-protocol.md; testdata holds golden vectors
// that agents in other languages read too.
//
// A message lists its fields once, in the order of the wire. A cursor uses that list for writing and for reading, so that the
// two cannot differ.
//
// It must not know devices, drivers or how an agent is started, and imports nothing of ours.
package agentwire
