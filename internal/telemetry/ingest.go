package telemetry

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of the queue, its maximum delay, and the number of entries per transaction.
const (
	queueEntries = 50_000
	queueBytes   = 32 << 20
	writeEvery   = 200 * time.Millisecond
	writeEntries = 8_192
	keptRecords  = 1 << 20 // maximum size of reused buffers, in bytes
)

// mostText and mostRaw are the maximum lengths of texts in bytes. Longer texts are cut.
const (
	mostText = 32 << 10
	mostRaw  = 64 << 10
)

// arrival is a queued entry.
type arrival struct {
	Entry
	at time.Time
}

func size(e *Entry) int {
	return len(e.Message) + len(e.Raw) + len(e.Process) + len(e.Subsystem) + len(e.Category) + 200
}

// Add stores an entry a moment later. It never blocks: entries beyond the writing speed are dropped and counted.
func (s *Store) Add(e Entry) { s.add(e) }

// add reports whether the entry is accepted.
func (s *Store) add(e Entry) bool {
	at := s.o.Now()
	if e.Time.IsZero() {
		e.Time = at
	}
	e.Count, e.PID = max(1, e.Count), max(0, e.PID)
	e.Level = min(max(e.Level, Debug), Fault)
	e.Message, e.Raw = cut(e.Message, mostText), cut(e.Raw, mostRaw)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.queue) >= queueEntries || s.queued+size(&e) > queueBytes {
		s.dropped++
		s.untold++
		return false
	}
	s.enqueue(arrival{e, at})
	return true
}

// enqueue needs mu.
func (s *Store) enqueue(a arrival) {
	s.queue = append(s.queue, a)
	s.queued += size(&a.Entry)
	if !s.running {
		s.running = true
		s.writers.Add(1)
		go s.run()
	} else if len(s.queue) == 1 || len(s.queue) == writeEntries {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// cut makes a text valid UTF-8 with a maximum number of bytes.
func cut(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = fmt.Sprintf("%s… (%d bytes more)", text[:most], len(text)-most)
	}
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return text
}

// run writes the queue until it is empty: an idle store has no goroutine.
func (s *Store) run() {
	defer s.writers.Done()
	timer := time.NewTimer(writeEvery)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.wake:
			if s.hurry() {
				break
			}
			timer.Reset(writeEvery)
			continue
		case <-s.closing:
		}
		_ = s.Flush(context.Background()) // lost entries are counted
		s.mu.Lock()
		wait, more := writeEvery, len(s.queue) > 0
		if !more {
			wait, more = s.expiry, s.expiry > 0
		}
		if s.closed || !more {
			s.running = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		timer.Reset(wait)
	}
}

// hurry reports whether the queue fills a transaction or the store is closing.
func (s *Store) hurry() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed || len(s.queue) >= writeEntries
}

// Flush returns when all earlier entries can be found.
func (s *Store) Flush(ctx context.Context) error {
	return s.inTurn(ctx, func() error { return s.writeAll(false) })
}

// inTurn runs fn while no other goroutine numbers or writes.
func (s *Store) inTurn(ctx context.Context, fn func() error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()
	return fn()
}

// writeAll writes the queue in its turn; at the end also the lines that are only counted so far.
func (s *Store) writeAll(end bool) error {
	for {
		batch, lost, more := s.takeBatch()
		var fresh []Entry
		for _, a := range batch {
			fresh = s.repeats.add(fresh, s.hide(a.Entry), a.at)
		}
		now := s.o.Now()
		if !more {
			fresh = s.repeats.expire(fresh, now)
			if end {
				fresh = s.repeats.all(fresh)
			}
		}
		lines := int64(len(fresh))
		if lost > 0 {
			fresh = append(fresh, s.own(fmt.Sprintf("%d lines were dropped: the store could not take them", lost)))
		}
		wait, _ := s.repeats.next(now)
		s.mu.Lock()
		s.expiry = wait
		s.mu.Unlock()
		if len(fresh) > 0 {
			if err := s.write(fresh, now); err != nil {
				s.mu.Lock()
				s.dropped += lines
				s.untold += lost + lines
				s.mu.Unlock()
				if lines > 0 { // otherwise only earlier losses are still unreported
					s.o.Log.Error("some lines were not stored", "lines", lines, "error", err)
				}
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// takeBatch takes the entries of one transaction and the number of lines lost before.
func (s *Store) takeBatch() (batch []arrival, lost int64, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(s.queue), writeEntries)
	batch = s.queue[:n:n]
	s.queue = s.queue[n:]
	for i := range batch {
		s.queued -= size(&batch[i].Entry)
	}
	if len(s.queue) == 0 {
		s.queue = nil
		lost, s.untold = s.untold, 0
	}
	return batch, lost, len(s.queue) > 0
}

// own is an entry of the store itself.
func (s *Store) own(message string) Entry {
	return Entry{Time: s.o.Now(), Source: Server, Process: ServerProcess, Level: Warning, Message: message, Count: 1}
}

// Stored is an entry in its stored form: without secrets, and with long texts cut.
func (s *Store) Stored(e Entry) Entry {
	e.Message, e.Raw = cut(e.Message, mostText), cut(e.Raw, mostRaw)
	return s.hide(e)
}

func (s *Store) hide(e Entry) Entry {
	if s.o.Hide != nil {
		e.Message, e.Process, e.Subsystem = s.o.Hide(e.Message), s.o.Hide(e.Process), s.o.Hide(e.Subsystem)
		if e.Raw != "" {
			e.Raw = s.o.Hide(e.Raw)
		}
	}
	return e
}

// write numbers and stores entries. It needs the turn.
func (s *Store) write(fresh []Entry, now time.Time) error {
	var tail []Entry
	var last int64
	err := s.db.Write(func(tx *sql.Tx) error {
		s.records = s.records[:0]
		last = s.known()
		for i := range fresh {
			last++
			fresh[i].Number = last
		}
		var err error
		if tail, err = s.store(tx, slices.Concat(s.tail, fresh), now); err != nil {
			return err
		}
		return s.mark(tx, last, now)
	})
	s.tell(err)
	if err != nil {
		return err
	}
	s.tail = tail
	if len(s.records) > 0 {
		s.tellIndex(s.index.Append(s.records))
	}
	if cap(s.records) > keptRecords {
		s.records = nil
	}
	s.mu.Lock()
	s.last = last
	s.mu.Unlock()
	s.publish(fresh)
	s.trim(now)
	return nil
}

// tell logs a write failure once until it is over, because the log may be stored here too.
func (s *Store) tell(err error) {
	s.mu.Lock()
	first := s.failing == nil
	s.failing = err
	s.mu.Unlock()
	if first && err != nil {
		s.o.Log.Error("cannot store lines", "error", err)
	}
}

// store writes entries as blocks, and returns the entries of an incomplete last block, which is written again with later entries.
func (s *Store) store(tx *sql.Tx, entries []Entry, now time.Time) (tail []Entry, err error) {
	put, err := tx.Prepare("INSERT OR REPLACE INTO block (first, last, n, oldest, newest, levels, arrived, sum, sieve, head, body, raw) " +
		"VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return nil, err
	}
	defer put.Close()
	for len(entries) > 0 {
		n, texts, raws := 0, 0, 0
		for n < len(entries) && n < blockEntries && texts < blockBytes && raws < blockRaw {
			texts, raws, n = texts+len(entries[n].Message), raws+len(entries[n].Raw), n+1
		}
		full := n < len(entries) || n == blockEntries || texts >= blockBytes || raws >= blockRaw
		b, err := s.packer.pack(entries[:n], now, full)
		if err != nil {
			return nil, err
		}
		_, err = put.Exec(b.first, b.last, b.n, b.oldest, b.newest, b.levels, b.arrived, b.sum, []byte(b.sieve), b.head, b.body, b.raw)
		if err != nil {
			return nil, err
		}
		if !full {
			return slices.Clone(entries), nil
		}
		s.records = append(s.records, s.packer.index.Record(b.id())...)
		entries = entries[n:]
	}
	return nil, nil
}
