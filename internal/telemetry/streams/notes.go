package streams

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

const (
	mostNotes   = 64        // maximum number of remembered logs and launches
	mostResumed = 4         // maximum number of a device's logs that a reader resumes
	mostNoted   = 256 << 10 // maximum size of the file in bytes
)

// notes are the state for the next daemon: the followed logs, and the processes that print to the manager's files.
type notes struct {
	Followed []followed `json:"followed"`
	Launches []launch   `json:"launches"`
}

// followed is a log that was followed.
type followed struct {
	Device     string          `json:"udid"`
	App        string          `json:"bundle_id,omitempty"`
	All        bool            `json:"all,omitempty"`
	Level      device.LogLevel `json:"level"`
	Subsystems string          `json:"subsystems,omitempty"`
	Session    string          `json:"session,omitempty"` // the session that asked for it
	At         time.Time       `json:"at"`                // time of its last use
}

// launch is a process that prints to the manager's files.
type launch struct {
	Stdout string `json:"stdout"`
	PID    int    `json:"pid"`
}

func (f followed) spec() spec {
	return spec{udid: f.Device, app: f.App, all: f.All, level: f.Level, subsystems: f.Subsystems}
}

func (w *want) followed() followed {
	return followed{w.spec.udid, w.spec.app, w.spec.all, w.spec.level, w.spec.subsystems, w.owner.Session, w.used}
}

// is reports whether a want replaces a followed log. Notes of an older program have no session.
func (f followed) is(w *want) bool {
	return f.spec() == w.spec && (f.Session == "" || f.Session == w.owner.Session)
}

// notesFile is outside the folder, which contains only the output of apps.
func (m *Manager) notesFile() string { return strings.TrimRight(m.o.Dir, "/") + ".json" }

// readNotes reads the notes of an earlier daemon. Unreadable notes are dropped: their loss only costs convenience.
func (m *Manager) readNotes() (n notes) {
	data, err := regularfile.Read(m.notesFile(), mostNoted)
	if err == nil && json.Unmarshal(data, &n) != nil {
		return notes{}
	}
	return n
}

// forget removes matching logs from the notes, and reports whether any matched. It needs the mutex.
func (m *Manager) forget(fits func(followed) bool) bool {
	before := len(m.earlier)
	m.earlier = slices.DeleteFunc(m.earlier, fits)
	return len(m.earlier) < before
}

// remember notes a log that is no longer followed. It needs the mutex.
func (m *Manager) remember(w *want) {
	m.forget(func(f followed) bool { return f.is(w) })
	m.earlier = append(m.earlier, w.followed())
}

// note schedules a write of the notes. It needs the mutex.
func (m *Manager) note() {
	m.stale = true
	if m.noting || m.closed {
		return
	}
	m.noting = true
	m.work.Go(func() {
		for {
			m.mu.Lock()
			m.noting = m.stale
			m.stale = false
			now := m.now()
			again := m.noting
			m.mu.Unlock()
			if !again {
				return
			}
			data, err := json.Marshal(now)
			if err == nil {
				err = wholefile.Write(m.notesFile(), data)
			}
			if err != nil {
				m.o.Log.Warn("cannot store the list of followed logs", "error", err)
			}
		}
	})
}

// now is the state to write: the followed logs first, then the earlier ones. It needs the mutex.
func (m *Manager) now() notes {
	n := notes{Followed: []followed{}, Launches: slices.Clone(m.launches)}
	add := func(f followed) {
		if !slices.ContainsFunc(n.Followed, func(o followed) bool { return o.spec() == f.spec() && o.Session == f.Session }) {
			n.Followed = append(n.Followed, f)
		}
	}
	for _, w := range m.wants {
		add(w.followed())
	}
	for _, f := range m.earlier {
		add(f)
	}
	slices.SortStableFunc(n.Followed, func(a, b followed) int { return b.At.Compare(a.At) })
	n.Followed = n.Followed[:min(len(n.Followed), mostNotes)]
	n.Launches = n.Launches[max(0, len(n.Launches)-mostNotes):]
	return n
}
