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

// Throttle makes the network worse for some requests: those of a pattern, of a device. It counts no bytes of head lines, and leaves alone
// what the proxy passes on unseen.
type Throttle struct {
	Name    string        `json:"name,omitempty"`    // that people have for it, such as 3g
	Pattern string        `json:"pattern,omitempty"` // empty: all
	Device  string        `json:"device,omitempty"`  // udid of a simulator; empty: all that the session may touch
	Latency time.Duration `json:"latency,omitempty"` // of each request
	Down    int           `json:"down,omitempty"`    // kilobits a second; 0: as fast as it goes
	Up      int           `json:"up,omitempty"`
	Loss    int           `json:"loss,omitempty"` // of a hundred requests so many are not answered, evenly
	Offline bool          `json:"offline,omitempty"`
}

// MostThrottles is how many a session may have.
const MostThrottles = 20

// throttle is a Throttle, ready for use.
type throttle struct {
	Throttle
	pattern *pattern.Pattern // nil: all
	seen    *atomic.Int64    // requests, of which some are lost
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

// throttle is the one of a share that is the same; nil if there is none.
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

// needsBody says whether the body of a request tells if the throttle is for it.
func (t *throttle) needsBody(f *flow.Flow) bool {
	if t.pattern == nil || !t.of(f) {
		return false
	}
	could, needs := t.pattern.Could(f, pattern.AtRequest)
	return could && needs.RequestBody
}

func (t *throttle) of(f *flow.Flow) bool { return t.Device == "" || t.Device == f.Client.Simulator }

// fits says whether the throttle is for a flow.
func (t *throttle) fits(f *flow.Flow) bool {
	return t.of(f) && (t.pattern == nil || t.pattern.Match(f))
}

// bytes are kilobits as bytes.
func bytes(kilobits int) int64 { return int64(kilobits) * 1000 / 8 }

// pace is what the throttle does to one more flow.
func (t *throttle) pace() *flow.Pace {
	p := &flow.Pace{Latency: t.Latency, Down: bytes(t.Down), Up: bytes(t.Up)}
	n := t.seen.Add(1)
	switch loss := int64(t.Loss); {
	case t.Offline:
		p.Lost = "the throttle is offline: nothing is answered"
	case n*loss/100 > (n-1)*loss/100: // evenly, so that a test that is run again loses the same
		p.Lost = fmt.Sprintf("the throttle loses %d of 100 requests", t.Loss)
	}
	return p
}

// pace is how fast a flow goes on; nil: as fast as it can.
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
