package op

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"ios-agent/internal/fault/mask"
)

// Caller runs an operation for a client; progress, when not nil, is told what goes on meanwhile. The daemon's client is
// one, and so is Local.
type Caller interface {
	Call(ctx context.Context, name string, input []byte, progress func(Event)) Envelope
	// Stream runs a stream until it ends, ctx does, or item returns an error.
	Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) Envelope
}

// Call is the context of one invocation: who asks, from where, and how to tell them about progress. An operation may
// fill in Device, so that the answer says which one it is about.
type Call struct {
	Session  string            // the client's session
	Client   string            // the client's own name; empty: nobody knows
	Dir      string            // the client's working folder; "" over plain HTTP
	Env      map[string]string // the client's environment, as far as PassedEnv allows
	Process  int               // the client's; 0: it is not known
	Trace    string            // names this call in logs
	Request  string            // the client's id of what it asks for: the same when it asks again; empty: it has none
	Hints    Hints             // the operation's own: what the call may do
	Sources  map[string]string // of the inputs that the call left out
	Instead  map[string]string // defaults of the session that the call gives for itself
	Device   *Device           // set by the operation
	Outside  bool              // set by the operation: what answers is no tool of the toolchain, such as the swift of the PATH
	Screens  []string          // set by the operation: ids of the screens before and after what it did
	App      string            // set by the operation: the bundle id of the app that it launched, if that is not the one in front
	ShowsLog bool              // set by the operation: its answer is what apps said; no count of it is needed
	// NothingNext is set by an operation whose answer leaves nothing for what usually follows it.
	NothingNext bool
	Logs        *AppErrors // set by Lines
	Net         *Requests  // set by Lines
	Stdin       io.Reader  // the client's; nil unless a command line runs the operation itself

	progress func(Event)
	notices  []Notice
	steps    *Steps // nil: none are remembered
	step     int    // 0: the call drives no device
	lines    Lines  // nil: nobody listens
	from     int64  // the newest line when the step began
	began    time.Time
	answered string // the step of the job that the call asks about
	revealed []string
	unheard  bool // anybody may make it, also without the key: it is not recorded, so that they cannot fill what is
	secrets  *mask.Set
}

type clientKey struct{}

// WithClient says for which client the calls under a context are made.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// ClientOf is the name that WithClient noted; empty: none.
func ClientOf(ctx context.Context) string {
	name, _ := ctx.Value(clientKey{}).(string)
	return name
}

// CLI is the client that a command line is.
const CLI = "cli"

// Device names the device an answer is about.
type Device struct {
	UDID string `json:"udid"`
	Name string `json:"name,omitempty"`
	// Driver is what drives the device, and DrivenBecause why, where that is not what usually does.
	Driver        string `json:"driver,omitempty"`
	DrivenBecause string `json:"driver_reason,omitempty"`
}

// Event is progress on the way to an answer.
type Event struct {
	Message string  `json:"message"`
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"` // 0: nobody knows
	Job     string  `json:"job,omitempty"`   // the job the call has become
}

// Progress tells the caller what is going on. It never blocks for long; nobody may be listening.
func (c *Call) Progress(message string) { c.Report(Event{Message: message}) }

// Report is Progress with how far it is.
func (c *Call) Report(e Event) {
	if c.progress != nil {
		e.Message = Legible(c.secrets.Text(e.Message))
		c.progress(e)
	}
}

// WithProgress gives the call a listener.
func (c Call) WithProgress(listen func(Event)) Call {
	c.progress = listen
	return c
}

// PassedEnv lists the variables of a client's environment that travel with a call; a name that ends in * is a prefix.
// The daemon's own environment is fixed at its start; no other variable of a client reaches it.
func PassedEnv() []string {
	return append([]string{"DEVELOPER_DIR", "SSH_AUTH_SOCK", "SIMCTL_CHILD_*", "IOS_AGENT_*", "XCODEBUILDMCP_*"}, DesktopEnv()...)
}

// DesktopEnv lists the variables that say on which desktop a client works: its programs are started there.
func DesktopEnv() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"}
}
