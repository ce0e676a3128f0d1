package agentwire

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Talk is a file that records the messages to and from agents: one Saying per line, as JSON. A nil Talk records nothing. It is safe for
// concurrent use: a line is one write at the end of the file.
//
// A Talk records typed text as its length and pictures as their size, and omits tokens and proofs. Hide filters all other texts,
// including texts of the screen.
type Talk struct {
	file    *os.File
	hide    func(string) string
	most    int64
	size    atomic.Int64
	streams atomic.Int64
	full    atomic.Bool
}

// TalkOptions configure a Talk.
type TalkOptions struct {
	Path string              // "": record nothing
	Most int64               // maximum size of the file in bytes (default 64 MiB); its last line says that later messages are missing
	Hide func(string) string // returns a text without its secrets; nil hides none
}

const usualTalk = 64 << 20

// TalkFile is the name of the file in a folder of recordings.
const TalkFile = "agent-talk.ndjson"

// OpenTalk opens or creates the file. The caller closes it after the last client.
func OpenTalk(o TalkOptions) (*Talk, error) {
	if o.Path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(o.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot record the agents: %w", err)
	}
	t := &Talk{file: file, hide: o.Hide, most: o.Most}
	if t.most == 0 {
		t.most = usualTalk
	}
	if t.hide == nil {
		t.hide = func(s string) string { return s }
	}
	if info, err := file.Stat(); err == nil {
		t.size.Store(info.Size())
	}
	return t, nil
}

// Close closes the file.
func (t *Talk) Close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

// Dial is the function Dial with a client that the Talk records.
func (t *Talk) Dial(ctx context.Context, addr string) (*Client, error) {
	c, err := Dial(ctx, addr)
	if err == nil && t != nil {
		c.keep(t)
	}
	return c, err
}

// Client is NewClient with a client that the Talk records.
func (t *Talk) Client(conn net.Conn) *Client {
	c := NewClient(conn)
	if t != nil {
		c.keep(t)
	}
	return c
}

// keep makes t record all later messages.
func (c *Client) keep(t *Talk) {
	stream := int(t.streams.Add(1))
	c.conn.said = func(h header, message []byte) { t.keep(stream, h, message, Said) }
	c.conn.heard = func(h header, message []byte) { t.keep(stream, h, message, Heard) }
	c.lost = func(id uint32, err error) {
		t.write(Saying{Stream: stream, ID: id, Is: Lost, Error: t.hide(err.Error())})
	}
}

// Saying is one frame, or the end of a stream.
type Saying struct {
	At      time.Time `json:"at"`
	Stream  int       `json:"stream"` // counted from 1 in each process
	ID      uint32    `json:"id,omitempty"`
	Is      string    `json:"is"`                // Said, Heard, Lost or Full
	Flags   uint16    `json:"flags,omitempty"`   // of the frame
	Name    string    `json:"name,omitempty"`    // of the message
	Message []byte    `json:"message,omitempty"` // its bytes, without the omitted parts
	LeftOut int       `json:"left_out,omitempty"`
	Error   string    `json:"error,omitempty"` // why the message cannot be decoded, or the stream ended
}

// The kinds of a Saying.
const (
	Said  = "said"  // by the host
	Heard = "heard" // from the agent
	Lost  = "lost"  // the stream ended while an answer was awaited
	Full  = "full"  // the file is full; later messages are missing
)

func (t *Talk) keep(stream int, h header, message []byte, is string) {
	s := Saying{Stream: stream, ID: h.id, Flags: h.flags, Is: is}
	var err error
	if is == Said {
		var r Request
		if r, err = UnmarshalRequest(message); err == nil {
			s.Name = r.Opcode().String()
			s.Message, err = t.request(r)
		}
	} else {
		var r Response
		if r, err = UnmarshalResponse(message); err == nil {
			s.Name = r.Kind().String()
			s.LeftOut = withoutPicture(r)
			s.Message, err = t.encode([]byte{byte(opResponse), byte(r.Kind())}, r.fields)
		}
	}
	if err != nil {
		s.Message, s.LeftOut = t.unread(message)
		s.Error = t.hide(err.Error())
	}
	t.write(s)
}

// request encodes a request without typed text and proofs.
func (t *Talk) request(r Request) ([]byte, error) {
	switch m := r.(type) {
	case *TypeText:
		m.Text = lengthOf(m.Text)
	case *Key:
		if utf8.RuneCountInString(m.Name) == 1 {
			m.Name = lengthOf(m.Name)
		}
	case *Hello:
		m.Token = ""
	case *Prove:
		m.Proof = nil
	case *Act:
		if input, err := UnmarshalRequest(m.Input); err == nil {
			if m.Input, err = t.request(input); err != nil {
				return nil, err
			}
		}
	}
	return t.encode([]byte{byte(r.Opcode())}, r.fields)
}

func lengthOf(text string) string { return strings.Repeat("•", utf8.RuneCountInString(text)) }

func withoutPicture(r Response) (size int) {
	switch m := r.(type) {
	case *Image:
		size, m.PNG = len(m.PNG), nil
	case *Challenge:
		m.Proof = nil
	}
	return size
}

func (t *Talk) encode(start []byte, fields func(*cursor)) ([]byte, error) {
	c := &cursor{buf: start, hide: t.hide}
	fields(c)
	return c.buf, c.err
}

// unread is the beginning of a message that cannot be decoded, for debugging.
func (t *Talk) unread(message []byte) (kept []byte, leftOut int) {
	const enough = 4 << 10
	kept = message[:min(len(message), enough)]
	return []byte(t.hide(string(kept))), len(message) - len(kept)
}

// write adds a line. An error does not disturb the stream: the file ends early, which its reader notices.
func (t *Talk) write(s Saying) {
	s.At = time.Now().UTC()
	line, err := json.Marshal(s)
	if err != nil {
		return
	}
	if t.size.Add(int64(len(line)+1)) > t.most {
		if t.full.Swap(true) {
			return
		}
		line, _ = json.Marshal(Saying{At: s.At, Stream: s.Stream, Is: Full}) // these fields can always be encoded
	}
	_, _ = t.file.Write(append(line, '\n'))
}
