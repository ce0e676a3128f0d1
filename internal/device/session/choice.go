package session

// Choice is the device of a session until the session chooses another one. Faults, shutdowns, other sessions and restarts do not change
// it. A call without a device means this device, or fails.
type Choice struct {
	UDID string // empty with a Name: a desktop app that was chosen before a restart and cannot be found again
	Name string
}

// Lost reports whether the chosen device cannot be found again.
func (c Choice) Lost() bool { return c.UDID == "" && c.Name != "" }

// Choices store the sessions' devices for the next process.
type Choices interface {
	// Load gives the choice of a session; the zero Choice if it has none.
	Load(session string) (Choice, error)
	// Save returns once the choice is durable; the zero Choice removes it. Save calls chosen when its turn to write comes, so the later
	// of two simultaneous choices wins.
	Save(session string, chosen func() Choice) error
}

// recall reads the earlier process's choice in the background.
func (st *Store) recall(s *Session) {
	if st.o.Choices == nil {
		return
	}
	s.recalled = make(chan struct{})
	st.start(func() {
		defer close(s.recalled)
		choice, err := st.o.Choices.Load(s.Name)
		if err != nil {
			st.warn("cannot read the session's device", s, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.known = choice != (Choice{}); !s.chose {
			s.choice = choice
		}
	})
}

// remembered reports whether an earlier process stored a choice of the session.
func (s *Session) remembered() bool {
	s.await()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

func (s *Session) await() {
	if s.recalled != nil {
		<-s.recalled
	}
}

// Choice is the session's choice; the zero Choice if it has none. The first call of a session waits until the stored choice is read.
func (s *Session) Choice() Choice {
	s.await()
	return s.chosen()
}

func (s *Session) chosen() Choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choice
}

// Device is the udid of the session's current device; may be empty.
func (s *Session) Device() string { return s.Choice().UDID }

// Use makes a device current, and returns once the next process would know it. The zero Choice leaves the session without a device.
func (s *Session) Use(c Choice) {
	s.mu.Lock()
	s.choice, s.chose = c, true
	s.mu.Unlock()
	if st := s.store; st != nil && st.o.Choices != nil {
		if err := st.o.Choices.Save(s.Name, s.lasting); err != nil {
			st.warn("cannot store the session's device", s, err)
		}
	}
}

// lasting is the choice to store. It does not wait for recall, whose store calls it.
func (s *Session) lasting() Choice {
	c := s.chosen()
	if passing := s.store.o.Passing; passing != nil && passing(c.UDID) {
		c.UDID = ""
	}
	return c
}

func (st *Store) warn(what string, s *Session, err error) {
	if st.o.Log != nil {
		st.o.Log.Warn(what, "session", s.Name, "error", err)
	}
}
