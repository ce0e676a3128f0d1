package mitm

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"ios-agent/internal/network/flow"
)

// budget is the memory, in bytes, for all bodies that the rules read. A hold may last half a minute, and there may be hundreds at once.
type budget struct{ left atomic.Int64 }

// portion is one exchange's share of a budget. Without a budget it is unlimited.
type portion struct {
	of *budget
	n  int64
}

// step is the unit in which a portion grows, in bytes.
const step = 256 << 10

// grow takes one more step from the budget, if enough is left.
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

// give returns the whole portion to the budget.
func (p *portion) give() {
	if p.of != nil {
		p.of.left.Add(p.n)
		p.n = 0
	}
}

// read reads up to most bytes, and one more to detect the end. The first flow.MostInline bytes are free; the rest needs room in the
// budget. limit is the number of bytes to use: less than most if the budget had no room.
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
