package process

import (
	"strings"

	"ios-agent/internal/machine/host"
)

// Status is how a session's process is.
type Status struct {
	ID       string
	PID      int
	Program  string
	Attached bool
	Running  bool
	Exit     *int   // nil while it runs, after a signal, and when nobody knows
	Signal   string // that ended it
	Captured bool   // what it prints is kept: it was launched
	Stdout   Printed
	Stderr   Printed
}

// Printed is the end of what a program wrote to a stream. It is what strangers wrote.
type Printed struct {
	Text string
	Lost int64 // bytes before it
}

// Status is how the process is now.
func (s *Session) Status() Status {
	st := Status{ID: s.ID, PID: s.PID, Program: s.Program, Attached: s.Attached, Running: s.Running()}
	if s.process == nil {
		return st
	}
	if !st.Running {
		res, _ := s.process.Result() // its error says the same
		if st.Signal = res.Signal; st.Signal == "" {
			st.Exit = &res.ExitCode
		}
	}
	st.Captured, st.Stdout, st.Stderr = true, s.printed(host.Stdout), s.printed(host.Stderr)
	return st
}

func (s *Session) printed(on host.Stream) Printed {
	lost := s.process.Lost(on) // before the text is read: it can only become more
	return Printed{strings.ToValidUTF8(string(s.process.Tail(on)), "\uFFFD"), lost}
}
