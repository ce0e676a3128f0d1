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

// version is of what daemon and process say to each other. Both are the same program, but a process may outlive the daemon that
// started it by a moment.
const version = 2

// mostLine is how long a line may be, either way: whole settings with their mocks, or a held flow with its bodies.
const mostLine = 15 << 20

// Config is everything that a process works by. It is sent whole: at first, and whenever something changed.
type Config struct {
	Dir      string   `json:"dir"`    // of the home; certificate, spool and bodies are below it
	Listen   string   `json:"listen"` // host and port
	Next     bool     `json:"next"`   // the next free port will do
	Own      []string `json:"own"`    // addresses of ios-agent itself, which it connects to for nobody
	Bypass   []string `json:"bypass"` // hosts that any of the shares names
	Upstream string   `json:"upstream"`
	// Authorities vouch for servers, as PEM; servers of Insecure need nobody who does.
	Authorities string   `json:"authorities,omitempty"`
	Insecure    []string `json:"insecure,omitempty"`
	rules.Config
}

// command is a line for the process. The first has a version and the config.
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

// What a command does.
const (
	doConfig     = "config"
	doRelease    = "release"
	doReleaseAll = "release_all"
	doReplay     = "replay"
	doFlush      = "flush"  // answers when all that was told is in the spool
	doRecent     = "recent" // answers what a device did in a time
)

// line is what the process says: a reply, which has the id of its command, or an event.
type line struct {
	Version int    `json:"v,omitempty"`
	ID      int64  `json:"id,omitempty"`
	Event   string `json:"event,omitempty"`

	Error  *trouble       `json:"error,omitempty"`
	Listen string         `json:"listen,omitempty"` // where it takes connections
	Count  int            `json:"count,omitempty"`
	Flow   string         `json:"flow,omitempty"`
	Held   *rules.Held    `json:"held,omitempty"`
	Reason string         `json:"reason,omitempty"`
	Hits   map[string]int `json:"hits,omitempty"` // of mocks
	// Bypassed are the connections that were passed on unseen, by host.
	Bypassed map[string]int64 `json:"bypassed,omitempty"`
	Recent   []flow.Facets    `json:"recent,omitempty"`
}

// The events.
const (
	eventHeld     = "held"
	eventReleased = "released"
	eventFlows    = "flows"  // there is more in the spool
	eventFailed   = "failed" // it takes no connections any more
)

// trouble is an error as it goes over the pipe.
type trouble struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
	Field string `json:"field,omitempty"`
	What  string `json:"what,omitempty"` // that another session owns
	Owner string `json:"owner,omitempty"`
}

// The kinds of trouble that the daemon tells apart.
const (
	kindInput   = "input"    // the command makes no sense
	kindPort    = "port"     // the port is taken
	kindNotHeld = "not_held" // no such flow is held
	kindOwned   = "owned"    // another session holds it
	kindOther   = "other"
)

// errLine says that a line is longer than any that is sent.
var errLine = fmt.Errorf("a line is longer than %d MB", mostLine>>20)

// lines reads lines within their bound.
type lines struct{ from *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, 64<<10)} }

// next reads the next line into a value. io.EOF is the end; a last line without its end is none.
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
