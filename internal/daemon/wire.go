// Package daemon runs the background process of a home, which serves all calls, and has the client that calls it. The CLI and the stdio MCP
// server are such clients: a Client sends POST /call/{op} over a unix socket, and the Server answers with events as lines of JSON and then
// the envelope. The Server also serves REST, on the same socket and on a TCP port, which is a loopback port unless the user allows other
// machines.
package daemon

import (
	"encoding/json"
	"time"

	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
)

// request is what a client sends with a call.
type request struct {
	Input   json.RawMessage   `json:"input,omitempty"`
	Session string            `json:"session"`
	Client  string            `json:"client,omitempty"`
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env,omitempty"`
	Process int               `json:"process,omitempty"`
	Trace   string            `json:"trace"`
	Parent  string            `json:"parent,omitempty"` // what the call is a part of
	Alone   bool              `json:"alone,omitempty"`  // the client is served the tools of another product alone
	Build   self.Build        `json:"build"`

	Toolchain string `json:"toolchain,omitempty"` // the one the client wants
}

// line is one line of the answer: any number of events and items, then the envelope; or the notice that this
// daemon leaves because the client's build is newer.
type line struct {
	Event    *op.Event    `json:"event,omitempty"`
	Item     any          `json:"item,omitempty"`
	Envelope *op.Envelope `json:"envelope,omitempty"`
	Leaving  *time.Time   `json:"leaving,omitempty"` // when the daemon that steps aside was started
	Ends     []string     `json:"ends,omitempty"`    // what ends with it
}

// Status is what a daemon says of itself.
type Status struct {
	Running   bool      `json:"running"`
	PID       int       `json:"pid,omitempty"`
	Build     string    `json:"build,omitempty"`
	Toolchain string    `json:"toolchain,omitempty"`
	URL       string    `json:"url,omitempty"` // of REST; needs the key
	KeyFile   string    `json:"key_file,omitempty"`
	Socket    string    `json:"socket,omitempty"`
	Log       string    `json:"log,omitempty"`
	Calls     int       `json:"calls"` // under way
	StartedAt time.Time `json:"started_at,omitzero"`
}
