package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ios-agent/internal/op"
)

// heartbeat is how often a stream without items sends a comment, so that proxies and clients do not close it.
const heartbeat = 15 * time.Second

// stream answers with server-sent events: "item" for each item without an event name, and "end" with the envelope when the stream ends.
func (s server) stream(w http.ResponseWriter, r *http.Request, o op.Op, input []byte) {
	events := &events{w: w, flush: http.NewResponseController(w)}
	stop := events.beat()
	e := s.Stream(r.Context(), s.ID(o), callOf(r), input, func(item any) error { return events.send(op.EventName(item), item) })
	stop()
	e = s.voice.Envelope(e, input)
	if e.Error != nil && !events.begun() {
		status, body := Answer(o, e, input)
		write(w, status, body)
		return
	}
	_ = events.send("end", e) // the client may be gone
}

// events writes server-sent events. Heartbeats come from another goroutine, so writes are locked.
type events struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	flush   *http.ResponseController
	started bool
}

func (s *events) send(kind string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, raw))
}

func (s *events) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-store")
		s.w.Header().Set("X-Accel-Buffering", "no")
		s.started = true
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.flush.Flush()
}

func (s *events) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// beat sends heartbeats until it is stopped.
func (s *events) beat() (stop func()) {
	tick := time.NewTicker(heartbeat)
	done := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		for {
			select {
			case <-tick.C:
				_ = s.write(": still here\n\n")
			case <-done:
				return
			}
		}
	})
	return func() {
		tick.Stop()
		close(done)
		over.Wait()
	}
}
