package op

import (
	"bytes"
	"encoding/json"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/text/oneline"
)

// virtual is the toolchain whose answers must be marked, so that they never look like a real device's.
const virtual = "virtual"

// Envelope is the answer to a call, the same on every surface: the CLI prints it with --json, the internal transport
// carries it, REST and MCP unpack it.
type Envelope struct {
	V      int             `json:"v"`
	Status string          `json:"status"` // success or error
	Stdout string          `json:"stdout,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	// Refused says that the answer explains, in the format of another product, why the operation did nothing: a command line then exits
	// with 1. On other surfaces it is an answer like all others.
	Refused bool `json:"refused,omitempty"`
	// Document says that Stdout is a document that programs read: a command line prints nothing else to its standard output.
	Document bool    `json:"document,omitempty"`
	Meta     Meta    `json:"meta"`
	Images   []Image `json:"images,omitempty"` // on the internal transport only
}

// Meta has the origin of an answer, such as the tools, the session and the device, and additions to it.
type Meta struct {
	Toolchain string     `json:"toolchain,omitempty"`
	Session   string     `json:"session,omitempty"`
	Device    *Device    `json:"device,omitempty"`
	Step      string     `json:"step,omitempty"` // id of the step of a call that drives a device; show_step shows it later
	TookMS    int64      `json:"took_ms"`
	Next      []string   `json:"next,omitempty"` // operations that usually follow
	Notices   []Notice   `json:"notices,omitempty"`
	Logs      *AppErrors `json:"logs,omitempty"` // errors that the app logged; nil: none
	Net       *Requests  `json:"net,omitempty"`  // requests of the step; nil: none, or no proxy runs
}

// AppErrors counts the errors that an app logged during the call, and has the first of them.
type AppErrors struct {
	Errors int    `json:"errors"`
	First  string `json:"first,omitempty"`
	Late   int    `json:"late_errors,omitempty"` // errors between the answer of an earlier step and this call
	Since  string `json:"since_step,omitempty"`  // id of that earlier step
}

// Requests counts the requests that a device made during a call, and the failed ones among them.
type Requests struct {
	Count  int    `json:"requests"`
	Failed int    `json:"failed_requests"`
	Open   int    `json:"open_requests,omitempty"` // requests without a response so far
	First  string `json:"first_failure,omitempty"` // POST /order 500
	Late   int    `json:"late_requests,omitempty"` // requests of an earlier step that ended after its answer
	Since  string `json:"since_step,omitempty"`    // id of that earlier step
}

// The two values of Envelope.Status.
const (
	Success = "success"
	Failure = "error"
)

// EnvelopeVersion is the version of the envelope's shape.
const EnvelopeVersion = 1

// Succeeded wraps a result. A result that cannot be encoded is our mistake and becomes a failure.
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

// ExitCode is the CLI's exit code for the answer.
func (e Envelope) ExitCode() int {
	if e.Error != nil {
		return e.Error.Code.Exit()
	}
	if e.Refused {
		return fault.ExitFailed
	}
	return fault.ExitOK
}

// Body is the answer for surfaces that return the bare result (REST, MCP's structured content): the result object with the meta beside its
// own keys. On those surfaces, only the meta shows that a virtual device answered.
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

// Text is the answer for people and models: the result, or the fault with its hint, between the notices.
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
		parts = append(parts, "toolchain: "+virtual) // a document has no first line for the mark
	}
	if e.Stdout != "" {
		parts = append(parts, e.Stdout)
	}
	return strings.Join(parts, "\n")
}

// legible returns an answer with texts that are safe on a terminal, whatever the caller or an app put into them. The JSON stays unchanged.
func legible(e Envelope) Envelope {
	e.Stdout = oneline.Legible(e.Stdout)
	if e.Error != nil {
		f := *e.Error
		f.Message, f.Hint = oneline.Legible(f.Message), oneline.Legible(f.Hint)
		e.Error = &f
	}
	return e
}
