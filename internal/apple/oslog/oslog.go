// Package oslog reads the logs of Apple's systems, in each style of `log show` and `log stream`. It also reads the system logs of
// simulators and devices, and the raw bytes of a device's syslog relay. A Reader emits one Entry at a time; Read returns a whole Log. A
// line that does not begin an entry continues the entry above it.
package oslog

import (
	"errors"

	"ios-agent/internal/apple/jsondoc"
)

// Style is the form of an entry.
type Style string

// The styles.
const (
	Default  Style = "default"
	Compact  Style = "compact"
	Syslog   Style = "syslog"
	BSD      Style = "bsd"    // "Mar  7 16:50:17 host process[pid] <Level>: …"
	Device   Style = "device" // the same without time, as idevicesyslog's tail
	JSON     Style = "json"   // and ndjson
	NSLog    Style = "nslog"  // what a process prints by NSLog
	nowStyle Style = ""
)

// Entry is one message.
type Entry struct {
	Time      string        `json:"time,omitempty"` // as printed
	Level     string        `json:"level,omitempty"`
	Process   string        `json:"process,omitempty"`
	PID       int           `json:"pid,omitempty"`
	Thread    string        `json:"thread,omitempty"`
	Activity  string        `json:"activity,omitempty"`
	Sender    string        `json:"sender,omitempty"` // the library that logged
	Subsystem string        `json:"subsystem,omitempty"`
	Category  string        `json:"category,omitempty"`
	Host      string        `json:"host,omitempty"`
	Message   string        `json:"message"`
	Extra     jsondoc.Extra `json:"extra,omitempty"` // further fields of a JSON entry
}

// Log is a whole log.
type Log struct {
	Style   Style          `json:"style,omitempty"` // of most entries
	Entries []Entry        `json:"entries"`
	Levels  map[string]int `json:"levels,omitempty"`
	Remarks []string       `json:"remarks,omitempty"` // lines around the entries
	LeftOff int            `json:"leftOff,omitempty"` // number of entries that were not stored
}

// The limits of Read.
const (
	maxEntries = 200_000
	maxRemarks = 200
)

// Read reads a whole log. A Reader emits the entries as they come.
func Read(data []byte) (*Log, error) {
	l := &Log{Levels: map[string]int{}}
	styles := map[Style]int{}
	r := Reader{}
	r.Each = func(e Entry) {
		styles[r.style]++
		if e.Level != "" {
			l.Levels[e.Level]++
		}
		if len(l.Entries) >= maxEntries {
			l.LeftOff++
			return
		}
		l.Entries = append(l.Entries, e)
	}
	r.Remark = func(s string) {
		if len(l.Remarks) < maxRemarks {
			l.Remarks = append(l.Remarks, s)
		}
	}
	_, _ = r.Write(data)
	r.End()
	most := 0
	for s, n := range styles {
		if n > most || n == most && s < l.Style {
			l.Style, most = s, n
		}
	}
	if len(l.Entries) == 0 {
		return nil, errors.New("oslog: no entry in the text")
	}
	return l, nil
}
