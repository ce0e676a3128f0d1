package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/rules"
)

// version is the version of the protocol between daemon and process. Both are the same program, but a process may outlive its daemon by a
// moment.
const version = 2

// mostLine is the maximum length of a line in either direction: all settings with their mocks, or a held flow with its bodies.
const mostLine = 15 << 20

// Config is the whole configuration of a process. It is sent at the start, and again after each change.
type Config struct {
	Dir      string   `json:"dir"`    // the proxy's folder: certificate, spool and bodies are below it
	Listen   string   `json:"listen"` // host and port
	Next     bool     `json:"next"`   // if the port is taken, use the next free one
	Own      []string `json:"own"`    // addresses of ios-agent itself; connecting to them is refused
	Bypass   []string `json:"bypass"` // the hosts of all shares
	Upstream string   `json:"upstream"`
	// Authorities are certificates for servers, as PEM; the certificates of servers in Insecure are not verified.
	Authorities string   `json:"authorities,omitempty"`
	Insecure    []string `json:"insecure,omitempty"`
	rules.Config
}

// command is a line to the process. The first one has a version and the config.
type command struct {
	Version int           `json:"v,omitempty"`
	ID      int64         `json:"id"`
	Do      string        `json:"do"`
	Config  *Config       `json:"config,omitempty"`
	Flow    string        `json:"flow,omitempty"`
	By      string        `json:"by,omitempty"` // the session
	Change  *flow.Change  `json:"change,omitempty"`
	Request *flow.Request `json:"request,omitempty"`
	Span    *Span         `json:"span,omitempty"`
}

// The commands.
const (
	doConfig     = "config"
	doRelease    = "release"
	doReleaseAll = "release_all"
	doReplay     = "replay"
	doFlush      = "flush"  // replies when all recorded flows are in the spool
	doRecent     = "recent" // replies with the flows of a device in a span
)

// line is a line from the process: a reply, with the id of its command, or an event.
type line struct {
	Version int    `json:"v,omitempty"`
	ID      int64  `json:"id,omitempty"`
	Event   string `json:"event,omitempty"`

	Error  *trouble       `json:"error,omitempty"`
	Listen string         `json:"listen,omitempty"` // listening address
	Count  int            `json:"count,omitempty"`
	Flow   string         `json:"flow,omitempty"`
	Held   *rules.Held    `json:"held,omitempty"`
	Reason string         `json:"reason,omitempty"`
	Hits   map[string]int `json:"hits,omitempty"` // of mocks
	// Bypassed are the connections that were forwarded unopened, by host.
	Bypassed map[string]int64 `json:"bypassed,omitempty"`
	Recent   []flow.Facets    `json:"recent,omitempty"`
}

// The events.
const (
	eventHeld     = "held"
	eventReleased = "released"
	eventFlows    = "flows"  // the spool has new flows
	eventFailed   = "failed" // the process stopped accepting connections
)

// trouble is an error in the form for the pipe.
type trouble struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
	Field string `json:"field,omitempty"`
	What  string `json:"what,omitempty"` // the thing that another session owns
	Owner string `json:"owner,omitempty"`
}

// The kinds of errors that the daemon distinguishes.
const (
	kindInput   = "input"    // the command is invalid
	kindPort    = "port"     // the port is taken
	kindNotHeld = "not_held" // the flow is not held
	kindOwned   = "owned"    // another session holds it
	kindOther   = "other"
)

// errLine says that a line exceeds mostLine.
var errLine = fmt.Errorf("a line is longer than %d MB", mostLine>>20)

// lines reads lines up to mostLine.
type lines struct{ from *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, 64<<10)} }

// next reads the next line into a value. io.EOF is the end; a last line without a line break is ignored.
func (l *lines) next(into any) error {
	var whole []byte
	for {
		part, err := l.from.ReadSlice('\n')
		if len(whole)+len(part) > mostLine {
			return errLine
		}
		whole = append(whole, part...)
		switch {
		case err == nil:
			return json.Unmarshal(bytes.TrimSpace(whole), into)
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// voice writes lines, one at a time.
type voice struct {
	turn chan struct{}
	to   io.Writer
}

func newVoice(to io.Writer) *voice { return &voice{make(chan struct{}, 1), to} }

func (v *voice) say(l any) error {
	raw, err := json.Marshal(l)
	if err == nil && len(raw) >= mostLine {
		err = errLine
	}
	if err != nil {
		return err
	}
	v.turn <- struct{}{}
	defer func() { <-v.turn }()
	_, err = v.to.Write(append(raw, '\n'))
	return err
}
