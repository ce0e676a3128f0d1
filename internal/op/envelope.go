package op

import (
	"bytes"
	"encoding/json"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/text/oneline"
)

// virtual is the toolchain whose answers must never be taken for a real device's.
const virtual = "virtual"

// Envelope is the answer to a call, the same on every surface: the CLI prints it with --json, the internal transport
// carries it, REST and MCP unpack it.
type Envelope struct {
	V      int             `json:"v"`
	Status string          `json:"status"` // success or error
	Stdout string          `json:"stdout,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	// Refused says that the answer tells why something was not done, in its own shape: a command line exits with 1. On other surfaces it
	// is an answer as all others.
	Refused bool `json:"refused,omitempty"`
	// Document says that Stdout is a document that programs read: a command line prints nothing else to its standard output.
	Document bool    `json:"document,omitempty"`
	Meta     Meta    `json:"meta"`
	Images   []Image `json:"images,omitempty"` // on the internal transport only
}

// Meta says where an answer comes from: which tools, whose session, which device.
type Meta struct {
	Toolchain string     `json:"toolchain,omitempty"`
	Session   string     `json:"session,omitempty"`
	Device    *Device    `json:"device,omitempty"`
	Step      string     `json:"step,omitempty"` // of a call that drives a device; show_step shows it later
	TookMS    int64      `json:"took_ms"`
	Next      []string   `json:"next,omitempty"` // operations that usually follow
	Notices   []Notice   `json:"notices,omitempty"`
	Logs      *AppErrors `json:"logs,omitempty"` // errors that the app logged; nil: none
	Net       *Requests  `json:"net,omitempty"`  // requests of the step; nil: none, or no proxy runs
}

// AppErrors are what an app logged that the caller has to know: how many errors came during the call, and the first of them.
type AppErrors struct {
	Errors int    `json:"errors"`
	First  string `json:"first,omitempty"`
	Late   int    `json:"late_errors,omitempty"` // that came after the answer of the step before, and before this call
	Since  string `json:"since_step,omitempty"`  // that step
}

// Requests are how many requests a device made during a call, and how many of them failed.
type Requests struct {
	Count  int    `json:"requests"`
	Failed int    `json:"failed_requests"`
	Open   int    `json:"open_requests,omitempty"` // that were not answered yet
	First  string `json:"first_failure,omitempty"` // POST /order 500
	Late   int    `json:"late_requests,omitempty"` // of the step before, that ended after its answer
	Since  string `json:"since_step,omitempty"`    // that step
}

// The two values of Envelope.Status.
const (
	Success = "success"
	Failure = "error"
)

// EnvelopeVersion is the version of the envelope's shape.
const EnvelopeVersion = 1

// Succeeded wraps a result; an encoding error is ours and becomes a failure.
func Succeeded(result any, meta Meta) Envelope {
	raw, err := json.Marshal(result)
	if err != nil {
		return Failed(fault.New(fault.Internal, "encoding the result: %w", err), meta)
	}
	return Envelope{V: EnvelopeVersion, Status: Success, Result: raw, Meta: meta}
}

// Failed wraps an error.
func Failed(err error, meta Meta) Envelope {
	return Envelope{V: EnvelopeVersion, Status: Failure, Error: fault.From(err), Meta: meta}
}

// ExitCode is what the CLI exits with.
func (e Envelope) ExitCode() int {
	if e.Error != nil {
		return e.Error.Code.Exit()
	}
	if e.Refused {
		return fault.ExitFailed
	}
	return fault.ExitOK
}

// Body is the answer for surfaces that return the bare result (REST, MCP's structured content): the result object
// with the meta beside its own keys. Nothing else says on those surfaces that a virtual device answered.
func (e Envelope) Body() json.RawMessage {
	meta, err := json.Marshal(e.Meta)
	if err != nil {
		meta = []byte("{}")
	}
	object := bytes.TrimSpace(e.Result)
	if len(object) < 2 || object[0] != '{' {
		object = []byte("{}")
	}
	var out bytes.Buffer
	out.Write(object[:len(object)-1])
	if len(bytes.TrimSpace(object[1:len(object)-1])) > 0 {
		out.WriteByte(',')
	}
	out.WriteString(`"meta":`)
	out.Write(meta)
	out.WriteByte('}')
	return out.Bytes()
}

// Text is what a person or a model reads: the answer, or what went wrong and what to do about it, between its notices.
func (e Envelope) Text() string { return e.Meta.around(e.said()) }

func (e Envelope) said() string {
	var parts []string
	if e.Error != nil {
		parts = append(parts, string(e.Error.Code)+": "+oneline.Beside(e.Error.Message))
		if e.Error.Hint != "" {
			parts = append(parts, "hint: "+oneline.Beside(e.Error.Hint))
		}
	}
	if e.Document && e.Meta.Toolchain == virtual {
		parts = append(parts, "toolchain: "+virtual) // a document has no first line that could be marked
	}
	if e.Stdout != "" {
		parts = append(parts, e.Stdout)
	}
	return strings.Join(parts, "\n")
}

// legible is an answer whose texts can be shown on a terminal, whatever the caller or an app put into them. JSON keeps what it was given.
func legible(e Envelope) Envelope {
	e.Stdout = oneline.Legible(e.Stdout)
	if e.Error != nil {
		f := *e.Error
		f.Message, f.Hint = oneline.Legible(f.Message), oneline.Legible(f.Hint)
		e.Error = &f
	}
	return e
}
