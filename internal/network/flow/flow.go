// Package flow is what goes over the wire, as facts: a request, what came of it, who made it. The proxy's process tells flows, the daemon
// keeps and shows them. Nothing here opens a connection or a file.
package flow

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
)

// Flow is one request and what came of it. It has its id from its first byte on: held, changed, answered and done it is the same flow.
type Flow struct {
	ID string `json:"id"` // f_ and 12 hexadecimal digits
	// Number is that of its last arrival in the daemon's store, in the count of all that is kept there. The store gives it.
	Number  int64     `json:"number,omitempty"`
	Started time.Time `json:"started"`
	State   State     `json:"state"`
	Client  Client    `json:"client"`

	Request  Request   `json:"request"`
	Response *Response `json:"response,omitempty"`
	// Messages are those of a WebSocket and the events of a stream (text/event-stream), the first ones; Told counts all.
	Messages []Message `json:"messages,omitempty"`
	Told     int       `json:"told,omitempty"`

	Timing Timing `json:"timing"`
	TLS    *TLS   `json:"tls,omitempty"` // between the app and us; nil for plain text
	Trouble
	Rule    string `json:"rule,omitempty"`    // id of the mock that answered
	Repeats string `json:"repeats,omitempty"` // id of the flow that this one replays
	Changed bool   `json:"changed,omitempty"` // somebody changed the request or the response when it was released
	Slowed  bool   `json:"slowed,omitempty"`  // a throttle slowed it down, or lost it
	// Hidden says where something secret is not shown, such as "request header Authorization". Such a flow is not as it was on the wire.
	Hidden []string `json:"hidden,omitempty"`
}

// State is how far a flow is.
type State string

// The states.
const (
	Open   State = "open"   // the request is on its way, or its answer
	Held   State = "held"   // somebody's pattern holds it
	Done   State = "done"   // answered whole
	Failed State = "failed" // it ended without a whole answer; Trouble says why
)

// Trouble is why a flow failed.
type Trouble struct {
	Kind  TroubleKind `json:"trouble,omitempty"`
	Error string      `json:"error,omitempty"` // for people, such as "tls: the app refused our certificate"
}

// TroubleKind is a kind of trouble.
type TroubleKind string

// The kinds.
const (
	AppRefused  TroubleKind = "app_refused_certificate" // pinned, or our certificate is not trusted there
	AppLeft     TroubleKind = "app_left_after_tls"      // it ended the connection after the handshake and asked nothing: it may pin
	AppGone     TroubleKind = "app_gone"                // the app ended the connection
	NoName      TroubleKind = "name_not_found"
	NoServer    TroubleKind = "no_server" // nothing takes connections there
	ServerTLS   TroubleKind = "server_tls"
	ServerGone  TroubleKind = "server_gone"
	TooLong     TroubleKind = "timeout"
	OwnPort     TroubleKind = "own_port" // it went to a port of ios-agent itself and was refused
	ProxyEnded  TroubleKind = "proxy_ended"
	MockedFault TroubleKind = "mocked"    // a mock made it fail
	Throttled   TroubleKind = "throttled" // a throttle lost it
)

// Client is who made the request. What cannot be known is empty, and Unknown says why.
type Client struct {
	Address   string `json:"address,omitempty"` // of its end of the connection
	PID       int    `json:"pid,omitempty"`
	Process   string `json:"process,omitempty"`
	Simulator string `json:"simulator,omitempty"` // udid
	App       string `json:"app,omitempty"`       // bundle id, only when certain
	Session   string `json:"session,omitempty"`   // that had it sent again; empty for what apps send
	Unknown   string `json:"unknown,omitempty"`
	// Foreign is a program of this machine whose socket belongs to another user, or had gone before the system could say whose it is. A
	// proxy does not serve it.
	Foreign bool `json:"foreign,omitempty"`
}

// Field is one header line. Lines keep their order, and there may be several of one name.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Header is the header lines of a message.
type Header []Field

// Get is the first value of a name, in any case.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Token says whether a text is a token of HTTP: what methods and names of header lines are.
func Token(text string) bool {
	const signs = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return text != "" && strings.Trim(text, signs) == ""
}

// Request is what an app asked.
type Request struct {
	Method   string `json:"method"`
	URL      string `json:"url"` // whole: scheme, host, port if it is not the scheme's, path, query
	Protocol string `json:"protocol"`
	Header   Header `json:"header"`
	Body     Body   `json:"body"`
	Trailer  Header `json:"trailer,omitempty"`
}

// Response is what it was answered.
type Response struct {
	Status   int    `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Protocol string `json:"protocol"`
	Header   Header `json:"header"`
	Body     Body   `json:"body"`
	Trailer  Header `json:"trailer,omitempty"`
}

// MostInline is how much of a body a flow carries itself, decoded.
const MostInline = 100 << 10

// Body is what a message carried.
type Body struct {
	Size    int64  `json:"size"`              // bytes on the wire
	Coding  string `json:"coding,omitempty"`  // of the wire: gzip, br, zstd, deflate
	Content []byte `json:"content,omitempty"` // decoded, the first MostInline bytes
	Cut     bool   `json:"cut,omitempty"`     // Content is not all of it
	// File is the name, in the folder of bodies, of the bytes as they were on the wire. It is there when Content is not exactly them.
	File    string `json:"file,omitempty"`
	FileCut bool   `json:"file_cut,omitempty"` // the file has only the first of them
}

// Message is one message of a WebSocket or one event of a stream.
type Message struct {
	AtMS   int64  `json:"at_ms"` // since the flow started
	Sent   bool   `json:"sent"`  // by the app
	Text   bool   `json:"text"`
	Size   int64  `json:"size"`
	Data   []byte `json:"data,omitempty"` // the first bytes
	Cut    bool   `json:"cut,omitempty"`
	Closes bool   `json:"closes,omitempty"`
}

// Timing is how long the parts took, in milliseconds. Zero is not known or did not happen (a connection that was there already).
type Timing struct {
	DNS      float64 `json:"dns_ms,omitempty"`
	Connect  float64 `json:"connect_ms,omitempty"`
	TLS      float64 `json:"tls_ms,omitempty"`
	Request  float64 `json:"request_ms,omitempty"`  // until the request was sent
	Response float64 `json:"response_ms,omitempty"` // from the first byte of the answer to its last
	Held     float64 `json:"held_ms,omitempty"`
	Total    float64 `json:"total_ms,omitempty"`
}

// TLS is what was agreed between the app and us.
type TLS struct {
	Version string `json:"version"` // TLS 1.3
	Name    string `json:"name"`    // the server name that was asked for
}

// NewID makes an id.
func NewID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "f_" + hex.EncodeToString(b[:])
}
