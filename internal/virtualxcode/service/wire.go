// Package service is the process that holds the virtual world, as CoreSimulatorService holds the real one: devices stay
// booted and apps keep running while the tools that asked for it come and go. The tools are thin clients: they send
// their command line and print what comes back.
package service

import (
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// request is the first line of every connection.
type request struct {
	Kind  string            `json:"kind"`
	Tool  string            `json:"tool,omitempty"` // run
	Args  []string          `json:"args,omitempty"`
	Dir   string            `json:"dir,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Agent AgentSpec         `json:"agent,omitzero"`  // agent
	ID    string            `json:"id,omitempty"`    // stream: which agent
	Fault flaw.Fault        `json:"fault,omitzero"`  // fault-add; its name: fault-clear; its device: fault-take
	Names []string          `json:"names,omitempty"` // fault-take; its one name: profile
	Chaos flaw.Chaos        `json:"chaos,omitzero"`  // chaos
	For   time.Duration     `json:"for,omitempty"`   // sleep
}

// The kinds of request. run answers with lines of output and an exit code; agent keeps its connection open for as long
// as the agent's process lives; stream carries the agent protocol in bytes; the rest answer with one line.
const (
	kindRun        = "run"
	kindAgent      = "agent"
	kindStream     = "stream"
	kindStatus     = "status"
	kindStop       = "stop"
	kindFaultAdd   = "fault-add"
	kindFaultClear = "fault-clear"
	kindFaultTake  = "fault-take"
	kindChaos      = "chaos"
	kindProfile    = "profile"
	kindSleep      = "sleep"
	kindUsbmux     = "usbmux" // carries the protocol of usbmuxd in bytes
)

// word is what a run's client may send after its request: input for the tool, its end, or a ctrl-C.
type word struct {
	Input     []byte `json:"input,omitempty"`
	End       bool   `json:"end,omitempty"`
	Interrupt bool   `json:"interrupt,omitempty"`
}

// AgentSpec says which agent a process is.
type AgentSpec struct {
	UDID  string `json:"udid"`
	Token string `json:"token"`
	Build string `json:"build"` // of the agent's sources
	PID   int    `json:"pid"`
	// Runner is the bundle id of the app in which it runs.
	Runner     string `json:"runner,omitempty"`
	PublicOnly bool   `json:"public_only,omitempty"` // it uses only what Apple documents
	WDA        bool   `json:"wda,omitempty"`         // it is WebDriverAgent: its streams are connections of HTTP
	IDB        bool   `json:"idb,omitempty"`         // it is idb_companion, and no test runner: its streams are connections of gRPC
	// On is set for a physical device: the agent listens there, and only usbmuxd leads to it. Port 0 is any.
	On   bool `json:"on,omitempty"`
	Port int  `json:"port,omitempty"`
}

// Status is what the service says of itself and its world.
type Status struct {
	PID       int          `json:"pid"`
	StartedAt time.Time    `json:"started_at"`
	Time      string       `json:"time"` // real or request
	Devices   []Device     `json:"devices"`
	Physical  []Device     `json:"physical,omitempty"` // devices that are no simulators
	Faults    []flaw.Fault `json:"faults"`
	Profile   string       `json:"profile,omitempty"`
	Chaos     *flaw.Chaos  `json:"chaos,omitempty"` // nil: there is none
	Agents    int          `json:"agents"`
	Asked     Asked        `json:"asked"`
	Damaged   []string     `json:"damaged,omitempty"` // state that could not be read and was set aside
}

// Asked counts the requests to agents since the service started.
type Asked struct {
	Requests int `json:"requests"`
	Looks    int `json:"looks"` // those that read the whole tree
}

// Device is a device of the world in a Status.
type Device struct {
	UDID  string `json:"udid"`
	Name  string `json:"name"`
	State string `json:"state"`
	App   string `json:"app,omitempty"` // in front

	Model       string `json:"model"`
	Platform    string `json:"platform"` // of its runtime, such as iOS
	Version     string `json:"version"`
	Build       string `json:"build"`
	Unavailable string `json:"unavailable,omitempty"` // why it cannot be used
	Locked      bool   `json:"locked,omitempty"`
}

// reply is one line of an answer.
type reply struct {
	Stream int     `json:"stream,omitempty"` // run: 1 or 2, with Data
	Data   []byte  `json:"data,omitempty"`
	Exit   *int    `json:"exit,omitempty"`  // run: the last line
	ID     string  `json:"id,omitempty"`    // agent: its name for streams
	Port   int     `json:"port,omitempty"`  // agent: where it listens on its physical device
	Crash  bool    `json:"crash,omitempty"` // agent: the process is to die now
	Ended  bool    `json:"ended,omitempty"` // agent: its test has ended as it should
	Error  string  `json:"error,omitempty"`
	Status *Status `json:"status,omitempty"`

	Taken map[string]map[string]string `json:"taken,omitempty"` // fault-take: by name, with their details
}
