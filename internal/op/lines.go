package op

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
)

// Lines are what apps say while calls drive their devices. Lines have numbers that only grow: those of their arrival.
type Lines interface {
	// Now is the number of the newest line, before a step on a device begins.
	Now(udid string) int64
	// Over is called when a call about a device is over, before its answer is written. What is to be told it tells with Notify and in
	// Call.Logs.
	Over(context.Context, *Call)
}

// AppErrors are what an app logged that the caller has to know: how many errors came during the call, and the first of them.
type AppErrors struct {
	Errors int    `json:"errors"`
	First  string `json:"first,omitempty"`
	Late   int    `json:"late_errors,omitempty"` // that came after the answer of the step before, and before this call
	Since  string `json:"since_step,omitempty"`  // that step
}

// Requests are how many requests a device made during a call, and how many of them failed.
type Requests struct {
	Count  int    `json:"requests"`
	Failed int    `json:"failed_requests"`
	Open   int    `json:"open_requests,omitempty"` // that were not answered yet
	First  string `json:"first_failure,omitempty"` // POST /order 500
	Late   int    `json:"late_requests,omitempty"` // of the step before, that ended after its answer
	Since  string `json:"since_step,omitempty"`    // that step
}

// LogRange is which lines belong to a step: those that arrived after the first number, and not after the second. Without a second
// the step is the last one on its device.
type LogRange struct {
	After int64  `json:"after_line"`
	Upto  *int64 `json:"upto_line,omitempty"`
}

// lineRange is the range of a step that may still be under way.
type lineRange struct {
	session, device string
	lines           LogRange
	began, ended    time.Time // ended when the next one on that device began; zero: it is the last
}

// Step is the id of the call's step and the number of the newest line when it began; empty for a call that drives no device.
func (c *Call) Step() (id string, from int64) { return stepID(c.step), c.from }

// Began is when the call's step began; zero for a call that drives no device.
func (c *Call) Began() time.Time { return c.began }

// over lets the catalogue's lines tell what came of a call. The answer does not depend on it.
func (c *Catalogue) over(ctx context.Context, o Op, call *Call) {
	if c.Lines != nil && call.Device != nil {
		_ = c.guarded(o, func() error { c.Lines.Over(ctx, call); return nil })
	}
}

// mark notes where the lines of a step begin, and so where those of the step before it on that device end.
func (s *Steps) mark(step int, session, device string, now int64, at time.Time) {
	if s.ranges == nil {
		s.ranges, s.newest = map[int]*lineRange{}, map[string]int{}
	}
	if before := s.ranges[s.newest[device]]; before != nil {
		before.lines.Upto, before.ended = &now, at
	}
	s.ranges[step], s.newest[device] = &lineRange{session, device, LogRange{After: now}, at, time.Time{}}, step
	if len(s.ranges) > 2*mostSteps {
		oldest := slices.Min(slices.Collect(maps.Keys(s.ranges)))
		maps.DeleteFunc(s.newest, func(_ string, of int) bool { return of == oldest })
		delete(s.ranges, oldest)
	}
}

// LastStep is the word for the session's last step.
const LastStep = "last"

// LinesOf are the lines of a step of a session, and its device. The id may be LastStep; udid is then the device it was on, if one is
// meant.
func (s *Steps) LinesOf(session, id, udid string) (of LogRange, step, device string, err error) {
	r, step, err := s.find(session, id, udid)
	if err != nil {
		return LogRange{}, "", "", err
	}
	return r.lines, step, r.device, nil
}

// TimesOf are when a step began, and when the next one on its device did (zero: none has), and its device. What it takes is as for
// LinesOf.
func (s *Steps) TimesOf(session, id, udid string) (from, to time.Time, step, device string, err error) {
	r, step, err := s.find(session, id, udid)
	return r.began, r.ended, step, r.device, err
}

func (s *Steps) find(session, id, udid string) (of lineRange, step string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, _ := strconv.Atoi(strings.TrimPrefix(id, "s"))
	if id == LastStep {
		number = s.lastOf(session, udid)
	}
	r := s.ranges[number]
	if r == nil || r.session != session {
		f := fault.New(fault.StepNotFound, "this session has no step %q", id).With("field", "step")
		if id == LastStep {
			f = fault.New(fault.StepNotFound, "this session has no last step").With("field", "step")
		}
		return lineRange{}, "", f.WithHint("%s", s.otherSteps(session))
	}
	return *r, stepID(number), nil
}

// lastOf is the newest step of a session, on one device if it is named; 0: it has none.
func (s *Steps) lastOf(session, device string) (newest int) {
	for n, r := range s.ranges {
		if r.session == session && (device == "" || r.device == device) {
			newest = max(newest, n)
		}
	}
	return newest
}

// otherSteps says which steps a session has.
func (s *Steps) otherSteps(session string) string {
	newest := s.lastOf(session, "")
	for n, one := range s.kept {
		if one.Session == session {
			newest = max(newest, n)
		}
	}
	if newest > 0 {
		return "its last step is " + stepID(newest)
	}
	return "this session has driven no device; the steps of another one are reached with its `--session`"
}
