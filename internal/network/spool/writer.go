// Package spool carries flows from the proxy's process to the daemon through files of JSON lines. A Writer in the proxy appends to
// segments, a Reader in the daemon reads and removes them. The two share no connection, so killing either loses no written flow. A folder
// must have only one Writer at a time.
package spool

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// Limits of the flows that wait to be written, and of their approximate bytes. Above half of the bytes, flows are queued without their
// bodies.
const (
	queueFlows = 20_000
	queueBytes = 32 << 20
)

// Defaults: the size of a segment, and the size of all unread segments together.
const (
	segmentBytes = 4 << 20
	spoolBytes   = 256 << 20
)

// gathering is how long a flow waits for its next record and for other flows: most flows end soon, and are then written once.
const gathering = 5 * time.Millisecond

// Options configure a Writer.
type Options struct {
	Dir          string
	SegmentBytes int64  // 4 MB if 0
	MostBytes    int64  // of all unread segments; 256 MB if 0
	Written      func() // called after lines were written, by one goroutine: it rings the daemon
	Now          func() time.Time
}

// record is one line.
type record struct {
	Flow    *flow.Flow `json:"flow,omitempty"`
	Dropped int64      `json:"dropped,omitempty"` // number of flows missing here
	Why     string     `json:"why,omitempty"`
}

// Writer appends flows to segments. Each writer begins its own segment; one folder has one writer at a time.
type Writer struct {
	o       Options
	wake    chan struct{}
	hurry   chan struct{} // Flush or Close waits
	stopped chan struct{}

	// used only by the goroutine that writes
	file    *os.File
	out     *bufio.Writer
	segment int64
	size    int64 // of the segment

	mu      sync.Mutex
	queue   []*flow.Flow // nil where a later record of the same flow replaced this one
	places  map[string]int
	bytes   int
	dropped int64 // since the last line that reports drops
	lost    int64 // since the writer began
	why     string
	closed  bool
	idle    *sync.Cond
	busy    bool
	failing error
}

var _ flow.Teller = (*Writer)(nil)

// NewWriter creates the folder if it is missing, and starts writing.
func NewWriter(o Options) (*Writer, error) {
	o.SegmentBytes, o.MostBytes = cmp.Or(o.SegmentBytes, segmentBytes), cmp.Or(o.MostBytes, spoolBytes)
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	w := &Writer{o: o, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stopped: make(chan struct{}), places: map[string]int{}}
	w.idle = sync.NewCond(&w.mu)
	if err := w.begin(); err != nil {
		return nil, err
	}
	go w.run()
	return w, nil
}

// Tell queues a flow. It never waits. It replaces an older queued record of the same flow.
func (w *Writer) Tell(f flow.Flow) {
	f.Number = 0
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.lost++
		return
	}
	size := sizeOf(&f)
	at, waits := w.places[f.ID]
	if waits {
		w.bytes -= sizeOf(w.queue[at])
	}
	if w.bytes+size > queueBytes/2 {
		shed(&f)
		size = sizeOf(&f)
	}
	if !waits && len(w.queue) >= queueFlows || w.bytes+size > queueBytes {
		if waits {
			w.bytes += sizeOf(w.queue[at])
		}
		w.drop("the proxy could not write them as fast as they came")
		return
	}
	w.bytes += size
	if waits {
		w.queue[at] = &f
	} else {
		w.places[f.ID] = len(w.queue)
		w.queue = append(w.queue, &f)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// drop must be called with mu held.
func (w *Writer) drop(why string) {
	w.dropped++
	w.lost++
	w.why = why
}

// sizeOf estimates the memory of a flow, in bytes.
func sizeOf(f *flow.Flow) int {
	n := 1000 + len(f.Request.URL) + len(f.Request.Body.Content) + headerSize(f.Request.Header)
	if f.Response != nil {
		n += len(f.Response.Body.Content) + headerSize(f.Response.Header)
	}
	for i := range f.Messages {
		n += 100 + len(f.Messages[i].Data)
	}
	return n
}

func headerSize(h flow.Header) (n int) {
	for i := range h {
		n += 32 + len(h[i].Name) + len(h[i].Value)
	}
	return n
}

// shed removes the bodies of a flow.
func shed(f *flow.Flow) {
	lighten := func(b *flow.Body) {
		if len(b.Content) > 0 {
			b.Content, b.Cut = nil, true
		}
	}
	lighten(&f.Request.Body)
	if f.Response != nil {
		answer := *f.Response // an older record may share the response
		lighten(&answer.Body)
		f.Response = &answer
	}
	if len(f.Messages) > 0 {
		f.Told, f.Messages = max(f.Told, len(f.Messages)), nil
	}
}

// run writes the queued flows until the writer is closed.
func (w *Writer) run() {
	defer close(w.stopped)
	wait := time.NewTimer(gathering)
	defer wait.Stop()
	for range w.wake {
		wait.Reset(gathering)
		select {
		case <-wait.C:
		case <-w.hurry:
		}
		for {
			w.mu.Lock()
			batch, dropped, why, closed := w.queue, w.dropped, w.why, w.closed
			w.queue, w.places, w.bytes, w.dropped, w.busy = nil, map[string]int{}, 0, 0, true
			w.mu.Unlock()
			if len(batch) > 0 || dropped > 0 {
				w.write(batch, dropped, why)
			}
			w.mu.Lock()
			w.busy = false
			more := len(w.queue) > 0
			w.idle.Broadcast()
			w.mu.Unlock()
			if closed && !more {
				return
			}
			if !more {
				break
			}
		}
	}
}

// write appends a batch. Flows that cannot be written are counted, and the next line that succeeds reports them.
func (w *Writer) write(batch []*flow.Flow, dropped int64, why string) {
	lost, err := int64(0), w.found()
	if dropped > 0 && err == nil {
		err = w.line(record{Dropped: dropped, Why: why})
	}
	if err == nil {
		dropped = 0
	}
	var odd error
	for i, f := range batch {
		if err == nil {
			err = w.line(record{Flow: f})
		}
		var no *json.MarshalerError
		if errors.As(err, &no) { // such as an impossible time: only this flow is lost
			lost, odd, err = lost+1, err, nil
		} else if err != nil {
			lost++
		}
		batch[i] = nil // as it is written, its memory is free
	}
	if err == nil {
		if err = w.out.Flush(); err != nil {
			lost = max(lost, 1) // at least one line is torn
		}
	}
	w.mu.Lock()
	w.failing = err
	w.dropped += lost + dropped // to be reported by a later line
	w.lost += lost
	if lost > 0 {
		w.why = cmp.Or(err, odd).Error()
	}
	w.mu.Unlock()
	if err != nil && w.file != nil {
		_ = w.file.Close() // the next batch begins a new segment: this one may end in a torn line
		w.file, w.out = nil, nil
	}
	if w.o.Written != nil {
		w.o.Written()
	}
}

// found begins a new segment if the current one was deleted, so that flows after a deletion are stored.
func (w *Writer) found() error {
	if w.file == nil {
		return w.begin()
	}
	_, err := os.Lstat(w.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return w.begin()
	}
	return nil
}

// errFull means that the daemon does not read the spool.
var errFull = errors.New("the spool is full: the daemon does not read it")

func (w *Writer) line(r record) error {
	if w.size >= w.o.SegmentBytes {
		if err := w.begin(); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	n, err := w.out.Write(append(raw, '\n'))
	w.size += int64(n)
	return err
}

// begin starts a segment.
func (w *Writer) begin() error {
	if w.out != nil {
		if err := w.out.Flush(); err != nil {
			return err
		}
	}
	all, err := segments(w.o.Dir)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, one := range all {
		total += one.size
		w.segment = max(w.segment, one.number)
	}
	if total >= w.o.MostBytes {
		return errFull
	}
	// A number is never reused, even when all segments were removed: a reader's position contains it.
	w.segment = max(w.segment+1, w.o.Now().UnixMilli())
	f, err := os.OpenFile(name(w.o.Dir, w.segment), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if w.file != nil {
		err = w.file.Close()
	}
	w.file, w.size = f, 0
	if w.out == nil {
		w.out = bufio.NewWriterSize(f, 256<<10)
	} else {
		w.out.Reset(f)
	}
	return err
}

// Lost is the number of flows lost since the writer began, and the last error of writing.
func (w *Writer) Lost() (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost, w.failing
}

// soon wakes the goroutine that writes, without the gathering delay.
func (w *Writer) soon() {
	select {
	case w.hurry <- struct{}{}:
	default:
	}
}

// Flush returns when a reader can read every flow of an earlier Tell.
func (w *Writer) Flush() {
	w.soon()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.closed && (len(w.queue) > 0 || w.busy) {
		w.idle.Wait()
	}
}

// Close writes the queued flows and ends the writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	w.mu.Unlock()
	w.soon()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-w.stopped
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle.Broadcast()
	return errors.Join(w.failing, err)
}

// segment is a file of the spool.
type segment struct {
	number int64
	size   int64
}

const suffix = ".ndjson"

func name(dir string, number int64) string {
	return filepath.Join(dir, fmt.Sprintf("%016d%s", number, suffix))
}

// segments are the files of a spool, oldest first. Other files are ignored.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []segment
	for _, e := range entries {
		var one segment
		if _, err := fmt.Sscanf(e.Name(), "%016d"+suffix, &one.number); err != nil || !e.Type().IsRegular() ||
			filepath.Base(name(dir, one.number)) != e.Name() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // the reader removed it
		}
		if err != nil {
			return nil, err
		}
		one.size = info.Size()
		out = append(out, one)
	}
	return out, nil
}
