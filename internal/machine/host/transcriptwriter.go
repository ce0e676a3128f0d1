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

const maxRecorded = 256 << 20 // maximum output of one invocation in bytes; a log stream may run for days

// transcriptWriter writes the transcript of one invocation; a nil writer writes nothing. It has a mutex of its own, because a program can
// be stopped while OnLine blocks.
type transcriptWriter struct {
	to       *transcriptFolder
	cmd      Cmd
	redactor *redactor
	began    time.Time
	stdin    recordedStdin

	mu      sync.Mutex
	file    *os.File // nil after the end, or a failure
	held    [Stderr + 1][]byte
	events  int
	size    int64
	dropped int64
}

func (r *transcriptFolder) begin(c Cmd) *transcriptWriter {
	if r == nil {
		return nil
	}
	file, err := r.create(c.Name)
	if err != nil {
		r.note(err)
		return nil
	}
	rec := &transcriptWriter{to: r, cmd: c, redactor: newRedactor(c), began: time.Now(), file: file}
	rec.redactor.learn(r.secrets)
	rec.open()
	return rec
}

// open writes the heading and leaves the object open for the events.
func (r *transcriptWriter) open() {
	h := headingOf(r.cmd, r.redactor)
	h.Began = r.began.UTC()
	b := bytes.TrimSuffix(encode(h, " "), []byte("\n}"))
	r.write(append(b, ",\n \"events\": ["...))
}

// recordStdin returns a reader that passes the input on and records it.
func (r *transcriptWriter) recordStdin(from io.Reader) io.Reader {
	if r == nil || from == nil {
		return from
	}
	r.stdin.from = from
	return &r.stdin
}

func (r *transcriptWriter) output(s Stream, b []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeOutput(s, b, false)
}

// writeOutput writes a piece of a stream without its secrets.
func (r *transcriptWriter) writeOutput(s Stream, b []byte, last bool) {
	r.redactor.learn(r.to.secrets)
	shown, held := r.redactor.hide(append(r.held[s], b...), last)
	r.held[s] = bytes.Clone(held)
	if r.size += int64(len(shown)); r.size > maxRecorded {
		r.dropped += int64(len(shown))
		return
	}
	if len(shown) > 0 {
		r.event(event{At: r.now(), Is: s.String(), content: contentOf(shown)})
	}
}

func (r *transcriptWriter) signalSent(sig unix.Signal, why string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.event(event{At: r.now(), Is: isSent, Signal: signalName(sig), Why: why})
}

// startFailed ends the transcript of a program that did not start.
func (r *transcriptWriter) startFailed(err error) {
	if r == nil {
		return
	}
	e := event{At: r.now(), Is: isFailed, content: content{Text: r.redactor.text(err.Error())}}
	var missing *NotFoundError
	if errors.As(err, &missing) {
		e.Why = whyMissing
	}
	r.end(e)
}

// finish ends the transcript of a started program. It runs before Done is closed, and so reads the output files before a caller can remove
// them.
func (r *transcriptWriter) finish(end ending) {
	if r == nil {
		return
	}
	e := event{At: span(end.took), Is: isExit, Signal: end.signal}
	if end.signal == "" {
		e.Code = &end.code
	}
	r.end(e)
}

func (r *transcriptWriter) end(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeOutput(Stdout, nil, true)
	r.writeOutput(Stderr, nil, true)
	r.event(e)
	c := closing{Stdin: r.input(), Outputs: readOutputs(r.cmd, r.redactor), Dropped: r.dropped}
	r.write([]byte("\n ],"))
	r.write(append(bytes.TrimPrefix(encode(c, " "), []byte("{")), '\n'))
	r.publish()
}

func (r *transcriptWriter) input() *input {
	if file, ok := r.cmd.Stdin.(*os.File); ok {
		return &input{File: r.redactor.text(file.Name())}
	}
	if r.cmd.Stdin == nil {
		return nil
	}
	return r.stdin.recorded(r.redactor)
}

func (r *transcriptWriter) now() span { return span(time.Since(r.began)) }

func (r *transcriptWriter) event(e event) {
	comma := ","
	if r.events++; r.events == 1 {
		comma = ""
	}
	r.write(append([]byte(comma+"\n  "), encode(e, "")...))
}

func (r *transcriptWriter) write(b []byte) {
	if r.file == nil {
		return
	}
	if _, err := r.file.Write(b); err != nil {
		r.to.note(err)
		r.file.Close()
		r.file = nil
	}
}

// publish renames the file to its final name, without .part.
func (r *transcriptWriter) publish() {
	if r.file == nil {
		return
	}
	part := r.file.Name()
	r.to.note(r.file.Close())
	r.to.note(os.Rename(part, strings.TrimSuffix(part, partSuffix)))
	r.file = nil
}

// encode leaves <, > and & as they are, because people read the files.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v) // all values of a transcript can be encoded
	return bytes.TrimSpace(b.Bytes())
}
