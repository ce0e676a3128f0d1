package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const maxRecorded = 256 << 20 // output of one invocation; a log stream may run for days

// recording is the transcript of one invocation while it is written. A nil one is of nothing. Its own lock, not that of
// the intake, guards it: a program must be stopped while OnLine blocks.
type recording struct {
	to    *recorder
	cmd   Cmd
	veil  *veil
	began time.Time
	stdin listener

	mu      sync.Mutex
	file    *os.File // nil after the end, or a failure
	held    [Stderr + 1][]byte
	events  int
	size    int64
	dropped int64
}

func (r *recorder) begin(c Cmd) *recording {
	if r == nil {
		return nil
	}
	file, err := r.create(c.Name)
	if err != nil {
		r.note(err)
		return nil
	}
	rec := &recording{to: r, cmd: c, veil: veilFor(c), began: time.Now(), file: file}
	rec.open()
	return rec
}

// open writes the heading and leaves the object open for the events.
func (r *recording) open() {
	h := headingOf(r.cmd, r.veil)
	h.Began = r.began.UTC()
	b := bytes.TrimSuffix(encode(h, " "), []byte("\n}"))
	r.write(append(b, ",\n \"events\": ["...))
}

// listen returns from, with what is read of it noted.
func (r *recording) listen(from io.Reader) io.Reader {
	if r == nil || from == nil {
		return from
	}
	r.stdin.from = from
	return &r.stdin
}

func (r *recording) chunk(s Stream, b []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pass(s, b, false)
}

// pass writes what may be seen of a stream.
func (r *recording) pass(s Stream, b []byte, last bool) {
	shown, held := r.veil.over(append(r.held[s], b...), last)
	r.held[s] = bytes.Clone(held)
	if r.size += int64(len(shown)); r.size > maxRecorded {
		r.dropped += int64(len(shown))
		return
	}
	if len(shown) > 0 {
		r.event(event{At: r.now(), Is: s.String(), content: contentOf(shown)})
	}
}

func (r *recording) sent(sig unix.Signal, why string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.event(event{At: r.now(), Is: isSent, Signal: signalName(sig), Why: why})
}

// failed ends the transcript of a program that did not start.
func (r *recording) failed(err error) {
	if r == nil {
		return
	}
	e := event{At: r.now(), Is: isFailed, content: content{Text: r.veil.text(err.Error())}}
	var missing *NotFoundError
	if errors.As(err, &missing) {
		e.Why = whyMissing
	}
	r.end(e)
}

// finish ends the transcript of one that did. It comes before anybody is told that the program has ended, and so finds
// the files before a caller can remove them.
func (r *recording) finish(end ending) {
	if r == nil {
		return
	}
	e := event{At: span(end.took), Is: isExit, Signal: end.signal}
	if end.signal == "" {
		e.Code = &end.code
	}
	r.end(e)
}

func (r *recording) end(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pass(Stdout, nil, true)
	r.pass(Stderr, nil, true)
	r.event(e)
	c := closing{Stdin: r.input(), Outputs: readOutputs(r.cmd, r.veil), Dropped: r.dropped}
	r.write([]byte("\n ],"))
	r.write(append(bytes.TrimPrefix(encode(c, " "), []byte("{")), '\n'))
	r.publish()
}

func (r *recording) input() *input {
	if file, ok := r.cmd.Stdin.(*os.File); ok {
		return &input{File: r.veil.text(file.Name())}
	}
	if r.cmd.Stdin == nil {
		return nil
	}
	return r.stdin.heard(r.veil)
}

func (r *recording) now() span { return span(time.Since(r.began)) }

func (r *recording) event(e event) {
	comma := ","
	if r.events++; r.events == 1 {
		comma = ""
	}
	r.write(append([]byte(comma+"\n  "), encode(e, "")...))
}

func (r *recording) write(b []byte) {
	if r.file == nil {
		return
	}
	if _, err := r.file.Write(b); err != nil {
		r.to.note(err)
		r.file.Close()
		r.file = nil
	}
}

// publish gives the file its name.
func (r *recording) publish() {
	if r.file == nil {
		return
	}
	part := r.file.Name()
	r.to.note(r.file.Close())
	r.to.note(os.Rename(part, strings.TrimSuffix(part, partSuffix)))
	r.file = nil
}

// encode leaves <, > and & as they are: people read this.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v) // the types of a transcript have no values that cannot be written
	return bytes.TrimSpace(b.Bytes())
}
