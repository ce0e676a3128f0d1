package network

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// off is the profile that ends throttles.
const off = "off"

// profiles are the profiles of Apple's Network Link Conditioner, by their common names.
func profiles() map[string]rules.Throttle {
	return map[string]rules.Throttle{
		"edge":     {Latency: 400 * time.Millisecond, Down: 240, Up: 200},
		"3g":       {Latency: 100 * time.Millisecond, Down: 780, Up: 330},
		"lte":      {Latency: 65 * time.Millisecond, Down: 50_000, Up: 10_000},
		"dsl":      {Latency: 5 * time.Millisecond, Down: 2000, Up: 256},
		"wifi":     {Latency: time.Millisecond, Down: 40_000, Up: 33_000},
		"very-bad": {Latency: 500 * time.Millisecond, Down: 1000, Up: 1000, Loss: 10},
		"offline":  {Offline: true},
	}
}

func (n *Network) throttleOp() op.Op {
	s := networkSpec("proxy_throttle", "throttle", "POST throttle",
		"Make the network slow, lossy or offline", op.Idempotent,
		"proxy throttle 3g", `proxy throttle offline --pattern "POST /order"`, "proxy throttle --latency-ms 800 --loss 5", "proxy throttle off")
	s.Require = [][]string{{"profile", "latency_ms", "down_kbps", "up_kbps", "loss"}}
	s.Help = "The profiles come from Apple's Network Link Conditioner; the other inputs change parts of a profile. The newest matching\n" +
		"throttle applies to a request, to mocks too, but not to bypassed hosts. off ends the throttle of the same pattern and\n" +
		"device, or all."
	s.Next = []string{"list_flows"}
	return op.New(s, n.Throttle)
}

// Profile is the name of a throttle.
type Profile string

// Choices are the names.
func (Profile) Choices() []string { return append(slices.Sorted(maps.Keys(profiles())), off) }

// ThrottleIn is a throttle and its requests.
type ThrottleIn struct {
	Profile Profile `json:"profile,omitempty" doc:"known network, or off" cli:"arg"`
	Pattern string  `json:"pattern,omitempty" doc:"only matching requests: POST /order, or a filter expression"`
	UDID    string  `json:"udid,omitempty" doc:"only this simulator"`
	Latency *int    `json:"latency_ms,omitempty" doc:"delay of each request" min:"0" max:"60000" unit:"ms"`
	Down    *int    `json:"down_kbps,omitempty" doc:"kbit/s to the app; 0: unlimited" min:"0" max:"10000000"`
	Up      *int    `json:"up_kbps,omitempty" doc:"kbit/s from the app; 0: unlimited" min:"0" max:"10000000"`
	Loss    *int    `json:"loss,omitempty" doc:"percentage of requests that fail" min:"0" max:"100"`
}

// ThrottleOut lists the session's throttles, the newest first.
type ThrottleOut struct {
	Throttles []string `json:"throttles"`
	Ended     int      `json:"ended_count,omitempty"`
	Fits
}

// Text has a line for each throttle.
func (o ThrottleOut) Text() string {
	w := brief.New(0)
	if len(o.Throttles) == 0 {
		w.Line("this session throttles no requests")
	}
	for i, one := range o.Throttles {
		one = oneline.Head(one)
		if i == 0 {
			one += o.Fits.String()
		}
		w.Line(one)
	}
	if len(o.Throttles) > 0 {
		w.Line("hint: " + hint.Do("proxy_throttle", "profile", "off") + " ends it")
	}
	return w.String()
}

// Throttle sets a throttle, or ends some.
func (n *Network) Throttle(ctx context.Context, c *op.Call, in ThrottleIn) (out ThrottleOut, err error) {
	made := profiles()[string(in.Profile)]
	made.Name, made.Device = string(in.Profile), in.UDID
	if in.UDID != "" {
		if err := n.drives(ctx, c, in); err != nil {
			return out, err
		}
	}
	if in.Pattern != "" {
		p, err := CheckPattern(in.Pattern)
		if err != nil {
			return out, err
		}
		if !p.RequestTime() {
			return out, fault.New(fault.InvalidInput, "the pattern is about responses: a throttle acts on requests").With("field", "pattern").
				WithHint("write a pattern for requests: a method and a path, or ~m and ~u")
		}
		made.Pattern = p.String()
		out.Fits = n.fits(ctx, p)
	}
	in.over(&made)
	err = n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		mine := s.Of(c.Session)
		before := len(mine.Throttles)
		mine.Throttles = slices.DeleteFunc(mine.Throttles, func(t rules.Throttle) bool {
			all := in.Profile == off && in.Pattern == "" && in.UDID == ""
			return all || t.Pattern == made.Pattern && t.Device == made.Device
		})
		if out.Ended = before - len(mine.Throttles); in.Profile != off {
			mine.Throttles = slices.Insert(mine.Throttles, 0, made)
		}
		out.Throttles = throttlesOf(*mine)
		return nil
	})
	return out, err
}

// drives returns a fault if another session drives the device. Any session can end a throttle on any device.
func (n *Network) drives(ctx context.Context, c *op.Call, in ThrottleIn) error {
	if in.Profile == off {
		return n.d.Access.There(ctx, in.UDID)
	}
	h, _, err := n.d.Access.Device(ctx, c, target.Target{UDID: in.UDID})
	if err != nil {
		return err
	}
	return n.d.Access.Do(ctx, h, func() error { return nil })
}

// over replaces parts of the profile by the given values.
func (in ThrottleIn) over(t *rules.Throttle) {
	if in.Latency != nil {
		t.Latency = time.Duration(*in.Latency) * time.Millisecond
	}
	for at, given := range map[*int]*int{&t.Down: in.Down, &t.Up: in.Up, &t.Loss: in.Loss} {
		if given != nil {
			*at = *given
		}
	}
}

// throttlesOf describes the throttles of a session.
func throttlesOf(s rules.Share) []string {
	all := make([]string, 0, len(s.Throttles))
	for _, t := range s.Throttles {
		whose := "requests"
		if t.Pattern != "" {
			whose = ui.Inline(t.Pattern)
		}
		if t.Device != "" {
			whose += " of " + ui.Inline(t.Device)
		}
		does := []string{}
		if t.Offline {
			does = append(does, "offline")
		}
		for _, part := range []struct {
			has  bool
			text string
		}{
			{t.Latency > 0, fmt.Sprintf("%d ms delay", t.Latency.Milliseconds())}, {t.Down > 0, fmt.Sprintf("down %d kbit/s", t.Down)},
			{t.Up > 0, fmt.Sprintf("up %d kbit/s", t.Up)}, {t.Loss > 0, fmt.Sprintf("%d%% fail", t.Loss)},
		} {
			if part.has {
				does = append(does, part.text)
			}
		}
		does = append(does, "for "+whose)
		if t.Name != "" && !t.Offline {
			does[0] = t.Name + ", " + does[0]
		}
		all = append(all, strings.Join(does, ", "))
	}
	return all
}
