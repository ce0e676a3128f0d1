package rules

import (
	"fmt"
	"sync/atomic"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// Throttle makes the network slower or less reliable for the requests of a pattern or a device. It does not count the bytes of headers,
// and does not affect connections that the proxy forwards unopened.
type Throttle struct {
	Name    string        `json:"name,omitempty"`    // name for people, such as 3g
	Pattern string        `json:"pattern,omitempty"` // empty: all
	Device  string        `json:"device,omitempty"`  // udid of a simulator; empty: all devices of the session
	Latency time.Duration `json:"latency,omitempty"` // added to each request
	Down    int           `json:"down,omitempty"`    // kilobits a second; 0: unlimited
	Up      int           `json:"up,omitempty"`
	Loss    int           `json:"loss,omitempty"` // percentage of requests without an answer, evenly distributed
	Offline bool          `json:"offline,omitempty"`
}

// MostThrottles is the maximum number of throttles of a session.
const MostThrottles = 20

// throttle is a Throttle that is ready for use.
type throttle struct {
	Throttle
	pattern *pattern.Pattern // nil: all
	seen    *atomic.Int64    // number of requests so far
}

func readyThrottles(all []Throttle, old *share) (ready []*throttle, err error) {
	if len(all) > MostThrottles {
		return nil, fault.New(fault.TooMany, "throttle limit of the session reached (%d)", MostThrottles).
			WithHint("%s ends all throttles", hint.Do("proxy_throttle", "profile", "off"))
	}
	for _, one := range all {
		t := &throttle{Throttle: one, seen: new(atomic.Int64)}
		if one.Pattern != "" {
			if t.pattern, err = pattern.Parse(one.Pattern); err != nil {
				return nil, err
			}
		}
		if was := old.throttle(one); was != nil {
			t.seen = was.seen
		}
		ready = append(ready, t)
	}
	return ready, nil
}

// throttle finds an identical throttle in a share, or returns nil.
func (s *share) throttle(like Throttle) *throttle {
	if s == nil {
		return nil
	}
	for _, t := range s.throttles {
		if t.Throttle == like {
			return t
		}
	}
	return nil
}

// needsBody reports whether the throttle's pattern needs the body of a request.
func (t *throttle) needsBody(f *flow.Flow) bool {
	if t.pattern == nil || !t.of(f) {
		return false
	}
	could, needs := t.pattern.Could(f, pattern.AtRequest)
	return could && needs.RequestBody
}

func (t *throttle) of(f *flow.Flow) bool { return t.Device == "" || t.Device == f.Client.Simulator }

// fits reports whether the throttle applies to a flow.
func (t *throttle) fits(f *flow.Flow) bool {
	return t.of(f) && (t.pattern == nil || t.pattern.Match(f))
}

// bytes converts kilobits to bytes.
func bytes(kilobits int) int64 { return int64(kilobits) * 1000 / 8 }

// pace is the throttle's effect on the next flow.
func (t *throttle) pace() *flow.Pace {
	p := &flow.Pace{Latency: t.Latency, Down: bytes(t.Down), Up: bytes(t.Up)}
	n := t.seen.Add(1)
	switch loss := int64(t.Loss); {
	case t.Offline:
		p.Lost = "the throttle is offline: it drops every request"
	case n*loss/100 > (n-1)*loss/100: // evenly, so that a repeated test loses the same requests
		p.Lost = fmt.Sprintf("the throttle loses %d of 100 requests", t.Loss)
	}
	return p
}

// pace is the speed of a flow; nil: unlimited.
func (s *setting) pace(f *flow.Flow) *flow.Pace {
	for one := range s.touching(f) {
		for _, t := range one.throttles {
			if t.fits(f) {
				return t.pace()
			}
		}
	}
	return nil
}
