package pool_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
)

// shelf is a driver over a fixed list; it counts how often it is asked.
type shelf struct {
	infos []device.Info
	err   error
	asked int
}

func (s *shelf) Name() string { return "shelf" }
func (s *shelf) List(context.Context) ([]device.Info, error) {
	s.asked++
	return s.infos, s.err
}
func (s *shelf) Open(i device.Info) device.Device { return thing{i} }

type thing struct{ info device.Info }

func (t thing) Info() device.Info { return t.info }
func (t thing) Driver() string    { return "shelf" }
func (t thing) Close() error      { return nil }

// over is a pool over drivers that keeps no lease.
func over(drivers ...device.Driver) *pool.Pool { return pool.New(pool.Options{Drivers: drivers}) }

func phone(udid, name, state string) device.Info {
	return device.Info{UDID: udid, Name: name, State: state, Available: true}
}

func TestResolveChoosesNamedOrBootedDevice(t *testing.T) {
	all := []device.Info{
		phone("A", "iPhone 16", "shutdown"), phone("B", "iPhone 16", "booted"), phone("C", "iPhone 15", "shutdown"),
		phone("D", "iPad", "shutdown"), phone("E", "iPad", "shutdown"),
	}
	idle := []device.Info{phone("A", "iPhone 16", "shutdown")}
	for _, c := range []struct {
		what  string
		infos []device.Info
		pool.Criteria
		want string
		code fault.Code
	}{
		{"by udid, case ignored", all, pool.Criteria{UDID: "c"}, "C", ""},
		{"by name", all, pool.Criteria{Name: "iphone 15"}, "C", ""},
		{"the booted one of two of one name", all, pool.Criteria{Name: "iPhone 16"}, "B", ""},
		{"two of one name, none booted", all, pool.Criteria{Name: "iPad"}, "", fault.DeviceAmbiguous},
		{"unknown name", all, pool.Criteria{Name: "iPhone 61"}, "", fault.DeviceNotFound},
		{"unknown udid is not replaced by the current one", all, pool.Criteria{UDID: "X", Current: "B"}, "", fault.DeviceNotFound},
		{"udid and name that disagree", all, pool.Criteria{UDID: "C", Name: "iPad"}, "", fault.DeviceNotFound},
		{"the current one", all, pool.Criteria{Current: "C"}, "C", ""},
		{"a current one that is gone is not replaced by the only one booted", all, pool.Criteria{Current: "X"}, "", fault.DeviceNotFound},
		{"the only one booted", all, pool.Criteria{}, "B", ""},
		{"two booted", []device.Info{phone("A", "a", "booted"), phone("B", "b", "booted")}, pool.Criteria{}, "", fault.NoDevice},
		{"none booted", idle, pool.Criteria{}, "", fault.NoDevice},
		{"none booted, but any will do", idle, pool.Criteria{AnyIdle: true}, "A", ""},
		{"any would do, but there are several", all[2:], pool.Criteria{AnyIdle: true}, "", fault.NoDevice},
	} {
		h, err := over(&shelf{infos: c.infos}).Resolve(t.Context(), c.Criteria)
		if c.code != "" {
			if !fault.Is(err, c.code) {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		if err != nil || h.Info().UDID != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestResolveSuggestsSimilarName(t *testing.T) {
	p := over(&shelf{infos: []device.Info{phone("A", "iPhone 16 Pro", "shutdown")}})
	_, err := p.Resolve(t.Context(), pool.Criteria{Name: "iPhone 16 Por"})
	if !strings.Contains(fault.From(err).Hint, "iPhone 16 Pro") {
		t.Error(fault.From(err).Hint)
	}
}

// TestOpenDeviceIsResolvedWithoutListing: the path of an action must not run a tool.
func TestOpenDeviceIsResolvedWithoutListing(t *testing.T) {
	s := &shelf{infos: []device.Info{phone("A", "a", "booted")}}
	p := over(s)
	first, err := p.Resolve(t.Context(), pool.Criteria{UDID: "A"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []pool.Criteria{{UDID: "A"}, {Current: "A"}} {
		if again, err := p.Resolve(t.Context(), c); err != nil || again != first || s.asked != 1 {
			t.Errorf("%+v: %v, asked %d times", c, err, s.asked)
		}
	}
}

func TestOneBrokenDriverDoesNotHideTheOthers(t *testing.T) {
	broken := &shelf{err: errors.New("no tool")}
	if infos, err := over(broken, &shelf{infos: []device.Info{phone("A", "a", "booted")}}).List(t.Context()); err != nil || len(infos) != 1 {
		t.Errorf("%v %v", infos, err)
	}
	if _, err := over(broken).List(t.Context()); err == nil {
		t.Error("nothing is known, yet no error")
	}
}
