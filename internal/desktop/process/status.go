package process

// Status is how a session's process is.
type Status struct {
	ID       string
	PID      int
	Program  string
	Attached bool
	Running  bool
	Exit     *int   // nil while it runs, after a signal, and when unknown
	Signal   string // that ended it
	Captured bool   // what it prints is kept: it was launched
	Stdout   Printed
	Stderr   Printed
	Cursor   string // the cursor for the output after this; empty without kept output
}

// Status is how the process is now, with the end of what it printed.
func (s *Session) Status() Status {
	st, _ := s.Read(Reading{}) // only a cursor could be wrong
	return st
}

// state is a Status without what was printed.
func (s *Session) state() Status {
	st := Status{ID: s.ID, PID: s.PID, Program: s.Program, Attached: s.Attached, Running: s.Running()}
	if s.process != nil && !st.Running {
		res, _ := s.process.Result() // its error says the same
		if st.Signal = res.Signal; st.Signal == "" {
			st.Exit = &res.ExitCode
		}
	}
	return st
}
