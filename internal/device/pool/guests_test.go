package pool_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
)

// kennel opens animals by the number of their cage, cage:7. Another animal in the same cage is another device.
type kennel struct {
	mu     sync.Mutex
	cages  map[string]int // how many animals lived there; 0: it is empty
	opened int
	closed int
}

func (k *kennel) Opens(id string) bool { return strings.HasPrefix(id, "cage:") }

func (k *kennel) Find(_ context.Context, id string, env func(string) string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id == "cage:mine" {
		id = "cage:" + env("CAGE")
	}
	number, life, whole := strings.Cut(strings.TrimPrefix(id, "cage:"), ":")
	lives := k.cages[number]
	if lives == 0 || whole && life != fmt.Sprint(lives) {
		return "", fault.New(fault.AppNotRunning, "the cage %s is empty", number)
	}
	return fmt.Sprintf("cage:%s:%d", number, lives), nil
}

func (k *kennel) Open(_ context.Context, udid string) (device.Device, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.opened++
	return &animal{k, udid}, nil
}

// put puts another animal into a cage; 0 takes it out.
func (k *kennel) put(cage string, life int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cages[cage] = life
}

type animal struct {
	k    *kennel
	udid string
}

func (a *animal) Info() device.Info {
	alias := a.udid[:strings.LastIndex(a.udid, ":")]
	return device.Info{UDID: a.udid, Name: "dog", State: device.Booted, Type: device.TypeProcess, Available: true, Aliases: []string{alias}}
}
func (a *animal) Driver() string { return "kennel" }
func (a *animal) Close() error {
	a.k.mu.Lock()
	defer a.k.mu.Unlock()
	a.k.closed++
	return nil
}
func (a *animal) Gone() bool {
	_, err := a.k.Find(context.Background(), a.udid, nil)
	return err != nil
}

// caged runs a test over a kennel and a shelf.
func caged(t *testing.T, test func(t *testing.T, p *pool.Pool, k *kennel, s *shelf)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k, s := &kennel{cages: map[string]int{"7": 1, "8": 1}}, &shelf{infos: []device.Info{phone("B", "iPhone 16", "booted")}}
		p := pool.New(pool.Options{Drivers: []device.Driver{s}, Openers: []pool.Opener{k}, Implicit: 5 * time.Minute})
		test(t, p, k, s)
		p.Close()
		if k.opened != k.closed {
			t.Errorf("%d opened, %d closed", k.opened, k.closed)
		}
	})
}

// TestUnlistedDeviceIsOpenedOnceByID: what no driver lists is opened once by its id, is leased, and is meant only when it is named or
// current.
func TestUnlistedDeviceIsOpenedOnceByID(t *testing.T) {
	caged(t, func(t *testing.T, p *pool.Pool, k *kennel, s *shelf) {
		find := func(c pool.Criteria) *pool.Handle {
			t.Helper()
			h, err := p.Resolve(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		dog := find(pool.Criteria{UDID: "cage:7"})
		mine := pool.Criteria{UDID: "cage:mine", Env: func(string) string { return "7" }}
		for _, c := range []pool.Criteria{{UDID: "cage:7:1"}, {Current: "cage:7:1"}, mine} {
			if find(c).Device != dog.Device {
				t.Errorf("%+v is another one", c)
			}
		}
		if k.opened != 1 || s.asked != 0 {
			t.Errorf("opened %d times, drivers asked %d times", k.opened, s.asked)
		}
		if err := p.Drive(t.Context(), dog.For("s1", true), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		err := p.Drive(t.Context(), dog.For("s2", true), func() error { t.Error("it ran"); return nil })
		refused(t, err, fault.DeviceClaimed, "claimed by s1", "cage:7:1")
		if got := find(pool.Criteria{Holder: "s1"}); got.Info().UDID != "B" {
			t.Errorf("nothing was named, and %s is meant", got.Info().UDID)
		}
		if infos, err := p.List(t.Context()); err != nil || len(infos) != 1 {
			t.Errorf("it is listed: %v, %v", infos, err)
		}
		entries, err := p.Entries(t.Context())
		if err != nil || len(entries) != 2 || entries[1].UDID != "cage:7:1" || entries[1].ClaimedBy != "s1" {
			t.Errorf("%+v, %v", entries, err)
		}
		s.infos, s.err = nil, fault.New(fault.ToolFailed, "no tool")
		if entries, err := p.Entries(t.Context()); err != nil || len(entries) != 1 {
			t.Errorf("without any driver: %+v, %v", entries, err)
		}
	})
}

// TestUnlistedDevicesAreClaimedAndReleased: they are claimed, waited for and given back as others are; nothing is done with them then.
func TestUnlistedDevicesAreClaimedAndReleased(t *testing.T) {
	caged(t, func(t *testing.T, p *pool.Pool, _ *kennel, _ *shelf) {
		ask := pool.Ask{Want: pool.Want{UDID: "cage:7"}, Holder: "s1"}
		must(t, p, ask, "cage:7:1")
		must(t, p, ask, "cage:7:1") // again
		ask.Holder = "s2"
		_, err := acquire(t, p, ask)
		refused(t, err, fault.DeviceClaimed, "claimed by s1")
		ask.Wait = time.Second
		_, err = acquire(t, p, ask)
		refused(t, err, fault.WaitTimeout, "s1 has it")
		go func() {
			time.Sleep(time.Second)
			if _, err := p.Release(context.Background(), lease.Who{Holder: "s1"}, "cage:7", ""); err != nil {
				t.Error(err)
			}
		}()
		ask.Wait = time.Minute
		must(t, p, ask, "cage:7:1")
		g, _, err := p.Find(t.Context(), pool.Ask{Want: pool.Want{UDID: "cage:8"}, Holder: "s3", On: true})
		if err != nil || g.Info.UDID != "cage:8:1" {
			t.Errorf("%+v, %v", g, err)
		}
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{UDID: "cage:8"}, Holder: "s3", Reset: pool.ResetErase})
		refused(t, err, fault.Unsupported, "cannot reset")
		e, _, err := p.TakeOver(t.Context(), pool.Ask{Want: pool.Want{UDID: "cage:7"}, Holder: "s3"}, "why")
		if err != nil || e.ClaimedBy != "s3" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

// TestEndedUnlistedDeviceIsClosed is closed and forgotten, with its lease; what comes in its place is another device.
func TestEndedUnlistedDeviceIsClosed(t *testing.T) {
	caged(t, func(t *testing.T, p *pool.Pool, k *kennel, _ *shelf) {
		must(t, p, pool.Ask{Want: pool.Want{UDID: "cage:7"}, Holder: "s1"}, "cage:7:1")
		k.put("7", 2)
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "cage:7"})
		if err != nil || h.Info().UDID != "cage:7:2" || k.closed != 1 {
			t.Fatalf("%v, closed %d", err, k.closed)
		}
		if err := p.Drive(t.Context(), h.For("s2", true), func() error { return nil }); err != nil {
			t.Errorf("the lease of the one before is on it: %v", err)
		}
		_, err = p.Resolve(t.Context(), pool.Criteria{Current: "cage:7:1"})
		refused(t, err, fault.AppNotRunning, "empty")
		err = p.Drive(t.Context(), h.For("s2", true), func() error {
			k.put("7", 0)
			return fault.New(fault.AppEnded, "it left")
		})
		refused(t, err, fault.AppEnded)
		if len(p.Open()) != 0 || k.closed != 2 || !p.Ended(h) {
			t.Errorf("%d open, %d closed", len(p.Open()), k.closed)
		}
		if _, err := p.Entry(t.Context(), "cage:7"); !fault.Is(err, fault.AppNotRunning) {
			t.Errorf("%v", err)
		}
	})
}

// TestUnlistedDevicesAreBounded: those that have ended make room, others do not.
func TestUnlistedDevicesAreBounded(t *testing.T) {
	caged(t, func(t *testing.T, p *pool.Pool, k *kennel, _ *shelf) {
		var err error
		n := 0
		for ; err == nil && n < 1000; n++ {
			k.put(fmt.Sprint(100+n), 1)
			_, err = p.Resolve(t.Context(), pool.Criteria{UDID: fmt.Sprint("cage:", 100+n)})
		}
		refused(t, err, fault.TooMany, "64")
		k.put("100", 0)
		if _, err := p.Resolve(t.Context(), pool.Criteria{UDID: "cage:7"}); err != nil {
			t.Errorf("%v", err)
		}
	})
}
