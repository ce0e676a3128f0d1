package session

// Choice is the device that a session works with until it chooses another one: no fault, no shutdown, no other session and no restart
// changes it. A call that names no device means this one or is refused.
type Choice struct {
	UDID string // empty with a Name: a desktop app that was chosen before a restart, which cannot be found again
	Name string
}

// Lost reports whether a device was chosen that cannot be found again.
func (c Choice) Lost() bool { return c.UDID == "" && c.Name != "" }

// Choices keep, for the next process, which device each session chose.
type Choices interface {
	// Load gives the choice of a session; the zero Choice when it has none.
	Load(session string) (Choice, error)
	// Save returns when the choice is durable; the zero Choice removes it. It calls chosen when it is its turn to write, so that of
	// two choices at once the later one is kept.
	Save(session string, chosen func() Choice) error
}

// recall reads the choice of an earlier process, in the background.
func (st *Store) recall(s *Session) {
	if st.o.Choices == nil {
		return
	}
	s.recalled = make(chan struct{})
	st.start(func() {
		defer close(s.recalled)
		choice, err := st.o.Choices.Load(s.Name)
		if err != nil {
			st.warn("the session's choice of a device cannot be read", s, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.known = choice != (Choice{}); !s.chose {
			s.choice = choice
		}
	})
}

// remembered reports whether an earlier process knew the session's choice.
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

// Choice is the session's choice; the zero Choice when it has none. The first call of a session waits until the choice of an earlier
// process is read.
func (s *Session) Choice() Choice {
	s.await()
	return s.chosen()
}

func (s *Session) chosen() Choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choice
}

// Device is the udid of the session's current device; empty when it has none.
func (s *Session) Device() string { return s.Choice().UDID }

// Use makes a device current, and returns when the next process would know it; the zero Choice leaves the session without one.
func (s *Session) Use(c Choice) {
	s.mu.Lock()
	s.choice, s.chose = c, true
	s.mu.Unlock()
	if st := s.store; st != nil && st.o.Choices != nil {
		if err := st.o.Choices.Save(s.Name, s.lasting); err != nil {
			st.warn("the session's choice of a device cannot be kept", s, err)
		}
	}
}

// lasting is the choice as the next process gets it. It does not wait for recall, which needs the store that calls it.
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
