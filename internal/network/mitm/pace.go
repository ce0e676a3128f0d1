package mitm

import (
	"io"
	"time"

	"ios-agent/internal/network/flow"
)

// pace is the speed of an exchange; the zero value is unlimited.
type pace struct{ flow.Pace }

// down is the time that n bytes of an answer take.
func (p pace) down(n int64) time.Duration { return takes(n, p.Down) }

// takes is the time for n bytes at rate bytes a second.
func takes(n, rate int64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(n) / float64(rate) * float64(time.Second))
}

// slow applies a pace to an exchange. It returns false when the request ends here: it is dropped, or the app is gone.
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

// paced limits a body to rate bytes a second; 0 is unlimited.
func (x *exchange) paced(body io.ReadCloser, rate int64) io.ReadCloser {
	if body == nil || rate <= 0 {
		return body
	}
	return &slowBody{ReadCloser: body, x: x, rate: rate}
}

// slowBody waits after each piece for as long as the piece takes.
type slowBody struct {
	io.ReadCloser
	x    *exchange
	rate int64
}

// pieces is the number of pieces of a body per second, so that an app sees its progress move.
const pieces = 10

func (s *slowBody) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b[:min(int64(len(b)), max(s.rate/pieces, 1))])
	if n > 0 && !s.x.wait(takes(int64(n), s.rate)) {
		return n, s.x.ctx.Err()
	}
	return n, err
}
