package mitm

import (
	"io"
	"time"

	"ios-agent/internal/network/flow"
)

// pace is how fast an exchange goes on; the zero value is as fast as it can.
type pace struct{ flow.Pace }

// down is how long so many bytes of an answer take.
func (p pace) down(n int64) time.Duration { return takes(n, p.Down) }

// takes is how long bytes take at so many a second.
func takes(n, rate int64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(n) / float64(rate) * float64(time.Second))
}

// slow begins to hold an exchange to a pace. It is false when the request goes no further: it is lost, or the app is gone.
func (x *exchange) slow(p flow.Pace) bool {
	x.pace, x.f.Slowed = pace{p}, true
	if !x.wait(p.Latency) {
		x.fail(x.ctx.Err())
		return false
	}
	if p.Lost == "" {
		return true
	}
	x.drain()
	x.reset(flow.Trouble{Kind: flow.Throttled, Error: p.Lost})
	return false
}

// paced is a body that comes no faster than so many bytes a second; 0 is as fast as it comes.
func (x *exchange) paced(body io.ReadCloser, rate int64) io.ReadCloser {
	if body == nil || rate <= 0 {
		return body
	}
	return &slowBody{ReadCloser: body, x: x, rate: rate}
}

// slowBody waits after each piece as long as the piece takes.
type slowBody struct {
	io.ReadCloser
	x    *exchange
	rate int64
}

// pieces is how many pieces of a body come in a second: an app that shows its progress sees it move.
const pieces = 10

func (s *slowBody) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b[:min(int64(len(b)), max(s.rate/pieces, 1))])
	if n > 0 && !s.x.wait(takes(int64(n), s.rate)) {
		return n, s.x.ctx.Err()
	}
	return n, err
}
