// Package flow describes HTTP traffic as data. Its main type is Flow: a request, its response, and the client that made it. The proxy's
// process reports flows to a Teller, the daemon stores and shows them; this package also redacts them and writes them as HAR or curl. It
// must not open a connection or a file.
package flow

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
)

// Flow is one request and its outcome. Its id stays the same from the first byte on: while it is held, changed, answered and done.
type Flow struct {
	ID string `json:"id"` // f_ and 12 hexadecimal digits
	// Number counts the arrivals in the daemon's store; this is the flow's last one. The store sets it.
	Number  int64     `json:"number,omitempty"`
	Started time.Time `json:"started"`
	State   State     `json:"state"`
	Client  Client    `json:"client"`

	Request  Request   `json:"request"`
	Response *Response `json:"response,omitempty"`
	// Messages are the first messages of a WebSocket or the first events of a stream (text/event-stream); Told is the number of all.
	Messages []Message `json:"messages,omitempty"`
	Told     int       `json:"told,omitempty"`

	Timing Timing `json:"timing"`
	TLS    *TLS   `json:"tls,omitempty"` // between the app and the proxy; nil for plain text
	Trouble
	Rule    string `json:"rule,omitempty"`    // id of the mock that answered
	Repeats string `json:"repeats,omitempty"` // id of the flow that this one replays
	Changed bool   `json:"changed,omitempty"` // the request or the response was changed when it was released
	Slowed  bool   `json:"slowed,omitempty"`  // a throttle delayed or dropped it
	// Hidden lists the places of removed secrets, such as "request header Authorization". Such a flow differs from the bytes on the wire.
	Hidden []string `json:"hidden,omitempty"`
}

// State is the progress of a flow.
type State string

// The states.
const (
	Open   State = "open"   // the request or its answer is on its way
	Held   State = "held"   // a session's pattern holds it
	Done   State = "done"   // the answer is complete
	Failed State = "failed" // it ended without a complete answer; Trouble says why
)

// Trouble says why a flow failed.
type Trouble struct {
	Kind  TroubleKind `json:"trouble,omitempty"`
	Error string      `json:"error,omitempty"` // for people, such as "tls: the app refused our certificate"
}

// TroubleKind is the kind of a failure.
type TroubleKind string

// The kinds of failures.
const (
	AppRefused  TroubleKind = "app_refused_certificate" // the app pins, or the device does not trust the proxy's certificate
	AppLeft     TroubleKind = "app_left_after_tls"      // it closed the connection after the handshake without a request: it may pin
	AppGone     TroubleKind = "app_gone"                // the app closed the connection
	NoName      TroubleKind = "name_not_found"
	NoServer    TroubleKind = "no_server" // no server accepts connections there
	ServerTLS   TroubleKind = "server_tls"
	ServerGone  TroubleKind = "server_gone"
	TooLong     TroubleKind = "timeout"
	OwnPort     TroubleKind = "own_port" // the request went to a port of ios-agent itself and was refused
	ProxyEnded  TroubleKind = "proxy_ended"
	MockedFault TroubleKind = "mocked"    // a mock made it fail
	Throttled   TroubleKind = "throttled" // a throttle dropped it
)

// Client is the program that made the request. Unknown facts are empty, and Unknown says why.
type Client struct {
	Address   string `json:"address,omitempty"` // of its end of the connection
	PID       int    `json:"pid,omitempty"`
	Process   string `json:"process,omitempty"`
	Simulator string `json:"simulator,omitempty"` // udid
	App       string `json:"app,omitempty"`       // bundle id, only when certain
	Session   string `json:"session,omitempty"`   // the session that replayed the request; empty for requests of apps
	Unknown   string `json:"unknown,omitempty"`
	// Foreign is true for a program of this machine whose socket belongs to another user, or closed before the system could name its
	// owner. The proxy does not serve such a program.
	Foreign bool `json:"foreign,omitempty"`
}

// Field is one header line. Lines keep their order, and several lines may have the same name.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Header is the header lines of a message.
type Header []Field

// Get is the first value of a name; upper and lower case are equal.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Token reports whether a text is a token of HTTP, as methods and names of headers must be.
func Token(text string) bool {
	const signs = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return text != "" && strings.Trim(text, signs) == ""
}

// Request is the request of an app.
type Request struct {
	Method   string `json:"method"`
	URL      string `json:"url"` // whole: scheme, host, port if it is not the scheme's, path, query
	Protocol string `json:"protocol"`
	Header   Header `json:"header"`
	Body     Body   `json:"body"`
	Trailer  Header `json:"trailer,omitempty"`
}

// Response is the answer to a request.
type Response struct {
	Status   int    `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Protocol string `json:"protocol"`
	Header   Header `json:"header"`
	Body     Body   `json:"body"`
	Trailer  Header `json:"trailer,omitempty"`
}

// MostInline is how much of a body a flow carries itself, decoded, in bytes.
const MostInline = 100 << 10

// Body is the body of a message.
type Body struct {
	Size    int64  `json:"size"`              // bytes on the wire
	Coding  string `json:"coding,omitempty"`  // of the wire: gzip, br, zstd, deflate
	Content []byte `json:"content,omitempty"` // decoded, the first MostInline bytes
	Cut     bool   `json:"cut,omitempty"`     // Content is only the beginning
	// File is the name, in the folder of bodies, of the bytes on the wire. It is set when Content differs from them.
	File    string `json:"file,omitempty"`
	FileCut bool   `json:"file_cut,omitempty"` // the file has only the first bytes
}

// Message is one message of a WebSocket or one event of a stream.
type Message struct {
	AtMS   int64  `json:"at_ms"` // milliseconds since the flow started
	Sent   bool   `json:"sent"`  // by the app
	Text   bool   `json:"text"`
	Size   int64  `json:"size"`
	Data   []byte `json:"data,omitempty"` // the first bytes
	Cut    bool   `json:"cut,omitempty"`
	Closes bool   `json:"closes,omitempty"`
}

// Timing has the durations of the parts, in milliseconds. Zero is unknown or did not happen, such as connecting on an open connection.
type Timing struct {
	DNS      float64 `json:"dns_ms,omitempty"`
	Connect  float64 `json:"connect_ms,omitempty"`
	TLS      float64 `json:"tls_ms,omitempty"`
	Request  float64 `json:"request_ms,omitempty"`  // until the request was sent
	Response float64 `json:"response_ms,omitempty"` // from the first byte of the answer to its last
	Held     float64 `json:"held_ms,omitempty"`
	Total    float64 `json:"total_ms,omitempty"`
}

// TLS is the result of the handshake between the app and the proxy.
type TLS struct {
	Version string `json:"version"` // TLS 1.3
	Name    string `json:"name"`    // the server name that the app asked for
}

// NewID makes an id.
func NewID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "f_" + hex.EncodeToString(b[:])
}
