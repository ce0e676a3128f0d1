package steps

import (
	"maps"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// LogRange is the range of a step's log lines: after the first number, up to the second. Without a second number the step is the last
// one on its device.
type LogRange struct {
	After int64  `json:"after_line"`
	Upto  *int64 `json:"upto_line,omitempty"`
}

// lineRange is the range of a step that may still be running.
type lineRange struct {
	session, device string
	lines           LogRange
	began, ended    time.Time // ended is the start of the device's next step; zero: it is the last
}

// mark records the start of a step's log lines, which is the end of the lines of the device's step before it. The caller has the lock.
func (s *Store) mark(step int, session, device string, now int64, at time.Time) {
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

// Last is the id of the session's last step.
const Last = "last"

// LinesOf are the log lines of a session's step, and the device of the step. The id may be Last; udid then limits the search to one
// device.
func (s *Store) LinesOf(session, id, udid string) (of LogRange, step, device string, err error) {
	r, step, err := s.find(session, id, udid)
	if err != nil {
		return LogRange{}, "", "", err
	}
	return r.lines, step, r.device, nil
}

// TimesOf are the start of a step, the start of the next step on its device (zero: none), and the device. It takes the same arguments
// as LinesOf.
func (s *Store) TimesOf(session, id, udid string) (from, to time.Time, step, device string, err error) {
	r, step, err := s.find(session, id, udid)
	return r.began, r.ended, step, r.device, err
}

func (s *Store) find(session, id, udid string) (of lineRange, step string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := number(id)
	if id == Last {
		n = s.lastOf(session, udid)
	}
	r := s.ranges[n]
	if r == nil || r.session != session {
		f := fault.New(fault.StepNotFound, "this session has no step %q", id).With("field", "step")
		if id == Last {
			f = fault.New(fault.StepNotFound, "this session has no last step").With("field", "step")
		}
		return lineRange{}, "", f.WithHint("%s", s.otherSteps(session))
	}
	return *r, stepID(n), nil
}

// lastOf is the newest step of a session, on one device if it is named; 0 without a step.
func (s *Store) lastOf(session, device string) (newest int) {
	for n, r := range s.ranges {
		if r.session == session && (device == "" || r.device == device) {
			newest = max(newest, n)
		}
	}
	return newest
}

// otherSteps is the hint with the session's steps.
func (s *Store) otherSteps(session string) string {
	newest := s.lastOf(session, "")
	for n, one := range s.kept {
		if one.Session == session {
			newest = max(newest, n)
		}
	}
	if newest > 0 {
		return "its last step is " + stepID(newest)
	}
	return "this session has no steps; " + hint.Field("session") + " names another session"
}
