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

// mostLine is how long a line may be. A longer one is left out and counted.
const mostLine = 16 << 20

// Position is how far a spool was read. The zero value is its begin.
type Position struct {
	Segment, Offset int64
}

// Batch is a part of what was told.
type Batch struct {
	Flows   []flow.Flow // in the order in which they were told
	Dropped int64       // flows that the writer could not keep
	Why     string      // of the last of those
	Torn    int         // lines that are not whole: the writer was killed
	End     Position    // up to which this is
	More    bool        // there is more to read at once
}

// End is where a spool ends now.
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

// NewReader begins at a position that an earlier reader told.
func NewReader(dir string, at Position) *Reader { return &Reader{dir, at} }

// Next gives up to so many flows, or about so many bytes, after those before. What is being written just now is left for the next time:
// a last line without its end may get it yet, unless a later segment shows that its writer is gone.
func (r *Reader) Next(mostFlows int, mostBytes int64) (Batch, error) {
	all, err := segments(r.dir) // before they are read: one that is not the last of these is whole
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

// unread leaves out segments that were read before. Segments are removed oldest first, so that when that of the position is gone, all
// that are there are unread.
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
		return false, nil // somebody deleted it
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
			return err == nil, nil // at the end of this segment the next is looked at
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

// readLine gives a line without its end, and how long it was with it; nil for one that is too long.
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

// Forget removes the segments before a position, oldest first. The segment of the position itself stays: it may grow.
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

// Remove deletes all that is in the spool, read or not. A writer that lives begins a new segment with what it is told next.
func Remove(dir string) error {
	all, err := segments(dir)
	for _, one := range all {
		if no := os.Remove(name(dir, one.number)); !errors.Is(no, fs.ErrNotExist) {
			err = errors.Join(err, no)
		}
	}
	return err
}
