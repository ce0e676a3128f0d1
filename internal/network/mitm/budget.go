package mitm

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"ios-agent/internal/network/flow"
)

// budget is how many bytes the bodies have together that rules look at. A hold may last half a minute, and hundreds may last at once.
type budget struct{ left atomic.Int64 }

// portion is what one exchange has of a budget. One of no budget has no bound.
type portion struct {
	of *budget
	n  int64
}

// step is by how much a portion grows.
const step = 256 << 10

// grow takes one more step, if there is so much left.
func (p *portion) grow() bool {
	if p.of == nil {
		return true
	}
	if p.of.left.Add(-step) < 0 {
		p.of.left.Add(step)
		return false
	}
	p.n += step
	return true
}

// give gives all of it back.
func (p *portion) give() {
	if p.of != nil {
		p.of.left.Add(p.n)
		p.n = 0
	}
}

// read reads up to so many bytes, and one more, by which it knows whether that is all. The first flow.MostInline bytes are everybody's;
// what goes beyond has to fit into the budget. limit is how many of the bytes are meant: fewer than were asked for if there was no room.
func (p *portion) read(from io.Reader, most int64) (data []byte, limit int64, err error) {
	var out bytes.Buffer
	limit = min(most, flow.MostInline)
	for {
		_, err := io.CopyN(&out, from, limit+1-int64(out.Len()))
		switch {
		case errors.Is(err, io.EOF):
			return out.Bytes(), limit, nil
		case err != nil || limit == most || !p.grow():
			return out.Bytes(), limit, err
		}
		limit = min(most, limit+step)
	}
}
