// Package agentwire is the binary protocol between the host and the XCTest agent: messages, frames, the JSON of trees, and a lock-step
// Client. A driver dials an agent, says Hello and sends requests with Ask. docs/agent-protocol.md describes the bytes; testdata has
// golden vectors that agents in other languages read too.
//
// A message lists its fields once, in the order of the wire. A cursor uses that list for writing and for reading, so that the two cannot
// differ.
//
// The package must not know devices, drivers or the start of an agent, and it imports no other package of ios-agent.
package agentwire
