package mitm

import (
	"bytes"
	"time"

	"ios-agent/internal/network/flow"
)

// watchEvents records the events of a stream while they pass.
func (x *exchange) watchEvents(body *tee) {
	x.messages.tell = x.tell
	x.tell() // a stream may never end: record its head now
	events := &events{tell: func(data []byte, size int64) {
		x.messages.add(flow.Message{
			AtMS: time.Since(x.f.Started).Milliseconds(), Text: true, Size: size, Data: bytes.Clone(data), Cut: size > int64(len(data)),
		})
	}}
	body.seen = append(body.seen, events.write)
}

// events splits a text/event-stream at its empty lines. An event is recorded with its lines unchanged: data, event and id.
type events struct {
	tell  func(data []byte, size int64)
	kept  []byte // of the event being read
	size  int64
	line  int  // bytes of the line being read
	wasCR bool // the last byte was a carriage return, which ends a line alone or with the line feed after it
}

func (e *events) write(b []byte) {
	for _, c := range b {
		if c == '\n' && e.wasCR {
			e.wasCR = false
			continue
		}
		e.wasCR = c == '\r'
		if c == '\r' || c == '\n' {
			e.endLine()
			continue
		}
		e.line++
		e.keep(c)
	}
}

func (e *events) keep(c byte) {
	e.size++
	if len(e.kept) < mostMessage {
		e.kept = append(e.kept, c)
	}
}

func (e *events) endLine() {
	if e.line > 0 {
		e.line = 0
		e.keep('\n')
		return
	}
	if e.size > 0 {
		e.tell(bytes.TrimSuffix(e.kept, []byte("\n")), e.size-1)
	}
	e.kept, e.size = e.kept[:0], 0
}
