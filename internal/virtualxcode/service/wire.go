// Package service is the process that holds the virtual world, like CoreSimulatorService: devices stay booted and apps keep running
// between calls of the tools. A Server plays the tools and serves agents; a Client sends a command line and prints the output. The
// package must not know the tools: they are registered as FrontEnds.
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
	ID    string            `json:"id,omitempty"`    // stream: the agent
	Fault flaw.Fault        `json:"fault,omitzero"`  // fault-add; its name: fault-clear; its device: fault-take
	Names []string          `json:"names,omitempty"` // fault-take; its one name: profile
	Chaos flaw.Chaos        `json:"chaos,omitzero"`  // chaos
	For   time.Duration     `json:"for,omitempty"`   // sleep
}

// Kinds of requests. run answers with lines of output and an exit code; agent keeps its connection open while the agent's process
// lives; stream carries the agent protocol in bytes; the others answer with one line.
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

// word is a message of a run's client after its request: input for the tool, the end of input, or a ctrl-C.
type word struct {
	Input     []byte `json:"input,omitempty"`
	End       bool   `json:"end,omitempty"`
	Interrupt bool   `json:"interrupt,omitempty"`
}

// AgentSpec describes the agent of a process.
type AgentSpec struct {
	UDID  string `json:"udid"`
	Token string `json:"token"`
	Build string `json:"build"` // of the agent's sources
	PID   int    `json:"pid"`
	// Runner is the bundle id of its app.
	Runner     string `json:"runner,omitempty"`
	PublicOnly bool   `json:"public_only,omitempty"` // it uses only documented features of Apple's
	WDA        bool   `json:"wda,omitempty"`         // it is WebDriverAgent: its streams are HTTP connections
	IDB        bool   `json:"idb,omitempty"`         // it is idb_companion and not a test runner: its streams are gRPC connections
	// On is set for a physical device: the agent listens there, and only usbmuxd reaches it. Port 0 means any.
	On   bool `json:"on,omitempty"`
	Port int  `json:"port,omitempty"`
}

// Status is the state of the service and its world.
type Status struct {
	PID       int          `json:"pid"`
	StartedAt time.Time    `json:"started_at"`
	Time      string       `json:"time"` // real or request
	Devices   []Device     `json:"devices"`
	Physical  []Device     `json:"physical,omitempty"` // physical devices
	Faults    []flaw.Fault `json:"faults"`
	Profile   string       `json:"profile,omitempty"`
	Chaos     *flaw.Chaos  `json:"chaos,omitempty"` // nil: no chaos
	Agents    int          `json:"agents"`
	Asked     Asked        `json:"asked"`
	Damaged   []string     `json:"damaged,omitempty"` // damaged state that was set aside
}

// Asked counts the requests to agents since the service started.
type Asked struct {
	Requests int `json:"requests"`
	Looks    int `json:"looks"` // requests that read the whole tree
}

// Device is a device in a Status.
type Device struct {
	UDID  string `json:"udid"`
	Name  string `json:"name"`
	State string `json:"state"`
	App   string `json:"app,omitempty"` // the app in front

	Model       string `json:"model"`
	Platform    string `json:"platform"` // of its runtime, such as iOS
	Version     string `json:"version"`
	Build       string `json:"build"`
	Unavailable string `json:"unavailable,omitempty"` // the reason why it is unavailable
	Locked      bool   `json:"locked,omitempty"`
}

// reply is one line of an answer.
type reply struct {
	Stream int     `json:"stream,omitempty"` // run: 1 or 2, with Data
	Data   []byte  `json:"data,omitempty"`
	Exit   *int    `json:"exit,omitempty"`  // run: the last line
	ID     string  `json:"id,omitempty"`    // agent: its id for streams
	Port   int     `json:"port,omitempty"`  // agent: its port on the physical device
	Crash  bool    `json:"crash,omitempty"` // agent: the process must die now
	Ended  bool    `json:"ended,omitempty"` // agent: its test ended normally
	Error  string  `json:"error,omitempty"`
	Status *Status `json:"status,omitempty"`

	Taken map[string]map[string]string `json:"taken,omitempty"` // fault-take: by name, with their details
}
