package mitm

import (
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// Limits of the stored messages of a WebSocket or a stream of events.
const (
	mostMessages = 1000
	mostMessage  = 16 << 10        // bytes of one message
	mostTogether = flow.MostInline // bytes of all messages
	tellEvery    = 100 * time.Millisecond
	tellRarely   = time.Second // once the list is full: then only the number grows
)

// messages are the first messages of a flow. They are recorded in groups after a short delay: a busy connection has thousands a second.
type messages struct {
	tell func() // set before the first one

	mu      sync.Mutex
	list    []flow.Message
	bytes   int
	told    int
	full    bool
	timer   *time.Timer
	stopped bool
}

func (m *messages) add(message flow.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	m.told++
	every := tellEvery
	if !m.full {
		m.keep(message)
	} else {
		every = tellRarely
	}
	if m.timer == nil {
		m.timer = time.AfterFunc(every, m.ring)
	}
}

func (m *messages) keep(message flow.Message) {
	if room := min(mostMessage, mostTogether-m.bytes); len(message.Data) > room {
		message.Data, message.Cut = message.Data[:room:room], true
	}
	m.bytes += len(message.Data)
	m.list = append(m.list, message)
	m.full = len(m.list) >= mostMessages || m.bytes >= mostTogether
}

func (m *messages) ring() {
	m.mu.Lock()
	m.timer = nil
	stopped := m.stopped
	m.mu.Unlock()
	if !stopped {
		m.tell()
	}
}

// wants reports whether the content of another message would be stored.
func (m *messages) wants() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.full
}

func (m *messages) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

func (m *messages) into(f *flow.Flow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f.Messages, f.Told = m.list[:len(m.list):len(m.list)], m.told
}
