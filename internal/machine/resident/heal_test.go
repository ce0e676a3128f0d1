package resident

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
)

// TestClientReconnectsAfterFilesAreLost: whatever is deleted or overwritten under a live resident, a client reaches the same one again, and
// no second one takes its place.
func TestClientReconnectsAfterFilesAreLost(t *testing.T) {
	for name, damage := range map[string]func(p Place) error{
		"the socket is deleted":    func(p Place) error { return os.Remove(p.path(".sock")) },
		"the lock is overwritten":  func(p Place) error { return os.WriteFile(p.LockPath(), []byte("garbage"), 0o600) },
		"the lock is emptied":      func(p Place) error { return os.Truncate(p.LockPath(), 0) },
		"the lock is deleted":      func(p Place) error { return os.Remove(p.LockPath()) },
		"the gate is deleted":      func(p Place) error { return os.Remove(p.path(".gate")) },
		"another lock is in place": func(p Place) error { return replace(p.LockPath()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			l, err := Listen(p, Info{Build: "b1"})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go accept(l)
			if err := damage(p); err != nil {
				t.Fatal(err)
			}
			second := func(context.Context) (int, error) { // as a client's process would
				if two, err := Listen(p, Info{Build: "b2"}); err == nil {
					two.Close()
					t.Error("there are two")
				} else if !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
				return 0, nil
			}
			conn, info, err := Dialer{Place: p, Start: second}.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if info.Build != "b1" {
				t.Errorf("%+v", info)
			}
			held, err := poll(t.Context(), 30*healEvery, func() (bool, error) {
				_, alive, err := Status(p)
				return alive, err
			})
			if !held || err != nil {
				t.Error("the lock is free", err)
			}
		})
	}
}

func replace(path string) error {
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
	}
}

// TestListenerEndsWhenPlaceIsTaken: when another process has the place all the same, the first one ends and leaves the other's socket
// alone.
func TestListenerEndsWhenPlaceIsTaken(t *testing.T) {
	p := newPlace(t)
	l, err := Listen(p, Info{Build: "b1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.Dir); err != nil {
		t.Fatal(err)
	}
	other, err := Listen(p, Info{Build: "b2"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go accept(other)
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	l.Close()
	conn, info, err := Dialer{Place: p}.Connect(t.Context())
	if err != nil || info.Build != "b2" {
		t.Fatal(info, err)
	}
	conn.Close()
}
