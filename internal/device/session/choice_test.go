package session_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/device/session"
)

// choices are the choices on a disk; err is what is wrong with it.
type choices struct {
	mu   sync.Mutex
	kept map[string]session.Choice
	err  error
	gate chan struct{} // where it is not nil, Load waits for it
}

func (c *choices) Load(name string) (session.Choice, error) {
	if c.gate != nil {
		<-c.gate
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[name], c.err
}

func (c *choices) Save(name string, chosen func() session.Choice) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.kept[name] = chosen()
	}
	return c.err
}

var (
	phone = session.Choice{UDID: "D1", Name: "iPhone 16"}
	pad   = session.Choice{UDID: "D2", Name: "iPad"}
)

func wantChoice(t *testing.T, s *session.Session, want session.Choice) {
	t.Helper()
	if got := s.Choice(); got != want || s.Device() != want.UDID {
		t.Errorf("got the choice %+v and the device %q, want %+v", got, s.Device(), want)
	}
}

// TestChoiceIsKeptForTheNextProcess, but a device that passes is kept as a name only.
func TestChoiceIsKeptForTheNextProcess(t *testing.T) {
	disk := &choices{kept: map[string]session.Choice{}}
	o := session.Options{Choices: disk, Passing: func(udid string) bool { return strings.HasPrefix(udid, "pid:") }}
	first := session.NewStore(o)
	first.Get("a").Use(phone)
	app := session.Choice{UDID: "pid:4711", Name: "cat"}
	first.Get("b").Use(app)
	wantChoice(t, first.Get("b"), app)
	next := session.NewStore(o)
	wantChoice(t, next.Get("a"), phone)
	wantChoice(t, next.Get("b"), session.Choice{Name: "cat"})
	wantChoice(t, next.Get("c"), session.Choice{})
	if !next.Get("b").Choice().Lost() || next.Get("a").Choice().Lost() || next.Get("c").Choice().Lost() {
		t.Error("got the wrong lost choices, want only b's")
	}
	next.Get("a").Use(session.Choice{})
	wantChoice(t, session.NewStore(o).Get("a"), session.Choice{})
}

// TestNewChoiceWinsOverLateStoredChoice that is read only after the session has chosen.
func TestNewChoiceWinsOverLateStoredChoice(t *testing.T) {
	disk := &choices{kept: map[string]session.Choice{"a": phone}, gate: make(chan struct{})}
	s := session.NewStore(session.Options{Choices: disk}).Get("a")
	s.Use(pad)
	close(disk.gate)
	wantChoice(t, s, pad)
}

// TestChoiceStaysInMemoryWithoutStore where nothing is kept, and where the disk fails.
func TestChoiceStaysInMemoryWithoutStore(t *testing.T) {
	for name, o := range map[string]session.Options{
		"no store": {}, "a failing store": {Choices: &choices{err: errors.New("the disk is full")}},
	} {
		t.Run(name, func(t *testing.T) {
			st := session.NewStore(o)
			wantChoice(t, st.Get("a"), session.Choice{})
			st.Get("a").Use(phone)
			wantChoice(t, st.Get("a"), phone)
		})
	}
}
