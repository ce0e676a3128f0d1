package spool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"ios-agent/internal/network/flow"
)

// mostLine is the maximum length of a line. A longer line is left out and counted.
const mostLine = 16 << 20

// Position is a place in a spool up to which it was read. The zero value is its beginning.
type Position struct {
	Segment, Offset int64
}

// Batch is a part of the recorded flows.
type Batch struct {
	Flows   []flow.Flow // in the order of Tell
	Dropped int64       // number of flows that the writer could not store
	Why     string      // reason for the last dropped flow
	Torn    int         // incomplete lines: the writer was killed
	End     Position    // the position after the batch
	More    bool        // more can be read now
}

// End is the current end of a spool.
func End(dir string) (Position, error) {
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return Position{}, err
	}
	last := all[len(all)-1]
	return Position{last.number, last.size}, nil
}

// Before reports whether a position comes before another.
func (p Position) Before(other Position) bool {
	return p.Segment < other.Segment || p.Segment == other.Segment && p.Offset < other.Offset
}

// Reader reads a spool. It is for one goroutine.
type Reader struct {
	dir string
	at  Position
}

// NewReader begins at the position of an earlier Batch.
func NewReader(dir string, at Position) *Reader { return &Reader{dir, at} }

// Next gives the next flows, at most mostFlows of them and about mostBytes bytes. The line being written waits for the next call: a last
// line without its end may still get it, unless a later segment shows that its writer is gone.
func (r *Reader) Next(mostFlows int, mostBytes int64) (Batch, error) {
	all, err := segments(r.dir) // listed before reading: every segment except the last is complete
	if err != nil {
		return Batch{}, err
	}
	all = r.unread(all)
	b := Batch{End: r.at}
	left := mostBytes
	for i, one := range all {
		if one.number != b.End.Segment {
			b.End = Position{Segment: one.number}
		}
		before := b.End.Offset
		full, err := r.segment(&b, i < len(all)-1, mostFlows, left)
		if err != nil {
			return Batch{}, err
		}
		left -= b.End.Offset - before
		if full {
			b.More = true
			break
		}
	}
	r.at = b.End
	return b, nil
}

// unread leaves out segments that were read before. Segments are removed oldest first, so if the position's segment is gone, all existing
// segments are unread.
func (r *Reader) unread(all []segment) []segment {
	for i, one := range all {
		if one.number == r.at.Segment {
			return all[i:]
		}
	}
	return all
}

// segment reads lines of the segment at the batch's end. It reports whether the batch is full.
func (r *Reader) segment(b *Batch, ended bool, mostFlows int, mostBytes int64) (full bool, err error) {
	f, err := os.Open(name(r.dir, b.End.Segment))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // the segment was deleted meanwhile
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Seek(b.End.Offset, io.SeekStart); err != nil {
		return false, err
	}
	in := bufio.NewReaderSize(f, 256<<10)
	from := b.End.Offset
	for {
		if len(b.Flows) >= mostFlows || b.End.Offset-from >= mostBytes {
			_, err := in.Peek(1)
			return err == nil, nil // at the end of this segment Next reads the following one
		}
		line, n, err := readLine(in)
		if errors.Is(err, io.EOF) {
			if ended && n > 0 {
				b.Torn++
				b.End.Offset += n
			}
			return false, nil
		}
		if err != nil {
			return false, err
		}
		b.End.Offset += n
		b.take(line)
	}
}

// readLine gives a line without its end, and its length including the end; nil for a line that is too long.
func readLine(in *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if n <= mostLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), n, err
		}
	}
}

func (b *Batch) take(line []byte) {
	var rec record
	if err := json.Unmarshal(line, &rec); err != nil || rec.Flow == nil && rec.Dropped == 0 || rec.Flow != nil && rec.Flow.ID == "" {
		b.Torn++
		return
	}
	if rec.Flow != nil {
		b.Flows = append(b.Flows, *rec.Flow)
	}
	if rec.Dropped > 0 {
		b.Dropped += rec.Dropped
		b.Why = rec.Why
	}
}

// Forget removes the segments before a position, oldest first. The position's own segment stays: it may grow.
func (r *Reader) Forget(upto Position) error {
	all, err := segments(r.dir)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.number >= upto.Segment {
			break
		}
		if err := os.Remove(name(r.dir, one.number)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Remove deletes the whole spool, read or unread. A live writer begins a new segment with its next flow.
func Remove(dir string) error {
	all, err := segments(dir)
	for _, one := range all {
		if no := os.Remove(name(dir, one.number)); !errors.Is(no, fs.ErrNotExist) {
			err = errors.Join(err, no)
		}
	}
	return err
}
