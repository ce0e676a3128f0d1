package world

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Level is the level of a log entry, in the words of the unified log's message types.
type Level string

// The levels.
const (
	LevelDebug   Level = "Debug"
	LevelInfo    Level = "Info"
	LevelDefault Level = "Default"
	LevelError   Level = "Error"
	LevelFault   Level = "Fault"
)

// Entry is one entry of a device's unified log.
type Entry struct {
	Time      time.Time // zero is now
	Level     Level     // empty is LevelDefault
	Process   string
	PID       int
	Subsystem string
	Category  string
	Message   string
}

// A logbook is kept in chapters, so that a new entry costs the write of one chapter and not of the whole log. The oldest chapter is
// deleted beyond the limit.
const (
	chapterSize = 64
	maxChapters = 16
)

// logbook holds the latest entries of a device. Entries are numbered from zero over the device's life.
type logbook struct {
	First   int // number of the oldest kept entry; a multiple of chapterSize
	Entries []Entry
	saved   int // number of entries, counted from zero, that the Store has
}

func (b *logbook) end() int { return b.First + len(b.Entries) }

// from returns copies of the entries from a number on.
func (b *logbook) from(number int) []Entry {
	return slices.Clone(b.Entries[min(max(number-b.First, 0), len(b.Entries)):])
}

// chapter is the value of one key of the Store.
type chapter struct {
	First   int
	Entries []Entry
}

func logPrefix(udid string) string { return "log-" + udid + "-" }

func chapterKey(udid string, n int) string { return logPrefix(udid) + strconv.Itoa(n) }

// restoreLogs joins the chapters. After a gap, which only a damaged store has, it uses the later ones.
func (w *World) restoreLogs(d *device, entries map[string][]byte) error {
	var all []chapter
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if !strings.HasPrefix(key, logPrefix(d.UDID)) {
			continue
		}
		var c chapter
		ok, err := w.decode(entries, key, &c)
		if err != nil {
			return err
		}
		if ok {
			all = append(all, c)
		}
	}
	b := &d.logs
	slices.SortFunc(all, func(a, b chapter) int { return a.First - b.First })
	*b = logbook{}
	for _, c := range all {
		if c.First != b.end() {
			*b = logbook{First: c.First}
		}
		b.Entries = append(b.Entries, c.Entries...)
	}
	b.saved = b.end()
	return nil
}

// log adds to d's log. The caller holds the lock and saves d, or its logs, afterwards.
func (d *device) log(e Entry) {
	if e.Time.IsZero() {
		e.Time = d.clock.Now()
	}
	if e.Level == "" {
		e.Level = LevelDefault
	}
	e.Time = e.Time.UTC().Round(0)
	d.logs.Entries = append(d.logs.Entries, e)
	d.tell()
}

// system adds an entry of the home screen's process.
func (d *device) system(subsystem, category, message string) Entry {
	return Entry{Process: "SpringBoard", PID: d.springboardPID, Subsystem: subsystem, Category: category, Message: message}
}

// tell wakes the followers of d.
func (d *device) tell() {
	close(d.news)
	d.news = make(chan struct{})
}

// saveLogs saves the new entries of d's log and drops the oldest.
func (w *World) saveLogs(d *device) error {
	b := &d.logs
	for b.saved < b.end() && w.store != nil {
		n := b.saved / chapterSize
		first := n * chapterSize
		end := min(first+chapterSize, b.end())
		if err := w.keep(chapterKey(d.UDID, n), chapter{first, b.Entries[first-b.First : end-b.First]}); err != nil {
			return err
		}
		b.saved = end
	}
	for len(b.Entries) > maxChapters*chapterSize {
		if err := w.drop(chapterKey(d.UDID, b.First/chapterSize)); err != nil {
			return err
		}
		b.First, b.Entries = b.First+chapterSize, slices.Clone(b.Entries[chapterSize:])
	}
	return nil
}

func (w *World) drop(key string) error {
	if w.store == nil {
		return nil
	}
	if err := w.store.Delete(key); err != nil {
		return fmt.Errorf("delete state %s: %w", key, err)
	}
	return nil
}

// forgetLogs empties d's log.
func (w *World) forgetLogs(d *device) error {
	for n := d.logs.First / chapterSize; n*chapterSize < d.logs.saved; n++ {
		if err := w.drop(chapterKey(d.UDID, n)); err != nil {
			return err
		}
	}
	d.logs = logbook{}
	return nil
}

// Log adds to a device's log.
func (w *World) Log(udid string, e Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return err
	}
	d.log(e)
	return w.saveLogs(d)
}

// Logs returns a device's log from an entry's number on, the number of the next entry, and a channel that is closed when new entries
// may exist. A number beyond the end, as after an erase, starts again at the beginning.
func (w *World) Logs(udid string, from int) (entries []Entry, next int, more <-chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, 0, nil, err
	}
	if err := w.attend(d); err != nil {
		return nil, 0, nil, err
	}
	if from > d.logs.end() {
		from = 0
	}
	return d.logs.from(from), d.logs.end(), d.news, nil
}
