package pool_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
)

// cable is a driver of physical devices: they have a camera and no power. A gate makes it slow.
type cable struct {
	shelf
	gate chan struct{}
}

func (c *cable) Name() string { return "cable" }
func (c *cable) List(ctx context.Context) ([]device.Info, error) {
	if c.gate != nil {
		select {
		case <-c.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return c.shelf.List(ctx)
}
func (c *cable) Open(i device.Info) device.Device { return &wired{i} }

type wired struct{ info device.Info }

func (w *wired) Info() device.Info                          { return w.info }
func (w *wired) Driver() string                             { return "cable" }
func (w *wired) Close() error                               { return nil }
func (w *wired) Screenshot(context.Context) ([]byte, error) { return []byte("PNG"), nil }

const hardware = "00008110-000A5D8E3C61801E"

// kims is a physical device: as the farm knows it, and as the cable does.
func kims() (farmed, wired device.Info) {
	farmed = device.Info{
		UDID: hardware, Name: "Kim's iPhone", State: device.Booted, Type: device.TypePhysical, OS: "iOS 18.2", Available: true,
	}
	wired = farmed
	wired.UDID, wired.Name = strings.ToLower(hardware), "iPhone"
	wired.Aliases = []string{"C0DE-1", "F2LX0"}
	return farmed, wired
}

// both runs a test over a farm and a cable.
func both(t *testing.T, farmed, cabled []device.Info, test func(t *testing.T, p *pool.Pool, f *farm, c *cable)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, c := &farm{infos: farmed, leases: lease.NewTable(lease.Options{})}, &cable{shelf: shelf{infos: cabled}}
		p := pool.New(pool.Options{Drivers: []device.Driver{f, c}, Leases: f.leases, Implicit: 5 * time.Minute})
		test(t, p, f, c)
		p.Close()
		f.leases.Close()
	})
}

// TestDeviceOfTwoDriversIsListedOnce: it is listed once, has the abilities of both, and its lease is on the hardware, whatever id a
// caller uses for it.
func TestDeviceOfTwoDriversIsListedOnce(t *testing.T) {
	one, other := kims()
	both(t, []device.Info{one}, []device.Info{other}, func(t *testing.T, p *pool.Pool, f *farm, _ *cable) {
		infos, err := p.List(t.Context())
		if err != nil || len(infos) != 1 || infos[0].UDID != hardware || infos[0].Name != "Kim's iPhone" {
			t.Fatal(infos, err)
		}
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "c0de-1"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := device.As[device.Power](h.Device); err != nil {
			t.Errorf("the farm's: %v", err)
		}
		if _, err := device.As[device.Camera](h.Device); err != nil {
			t.Errorf("the cable's: %v", err)
		}
		if _, err := device.As[device.Eyes](h.Device); !fault.Is(err, fault.Unsupported) || !strings.Contains(err.Error(), "farm, cable") {
			t.Errorf("nobody's: %v", err)
		}
		must(t, p, pool.Ask{Want: pool.Want{UDID: "F2LX0"}, Holder: "s1"}, hardware)
		for _, id := range []string{hardware, strings.ToLower(hardware), "C0DE-1", "F2LX0"} {
			_, err := acquire(t, p, pool.Ask{Want: pool.Want{UDID: id}, Holder: "s2"})
			refused(t, err, fault.DeviceClaimed, "claimed by s1", hardware)
			again, err := p.Resolve(t.Context(), pool.Criteria{UDID: id})
			if err != nil || again.Device != h.Device || again.Lane != h.Lane {
				t.Errorf("%s is another device: %v", id, err)
				continue
			}
			err = p.Drive(t.Context(), again.For("s2", true), func() error { t.Error("it ran"); return nil })
			refused(t, err, fault.DeviceClaimed, "claimed by s1")
			if e, err := p.Entry(t.Context(), id); err != nil || e.ClaimedBy != "s1" {
				t.Error(e, err)
			}
		}
		if e, err := p.Renew(t.Context(), lease.Who{Holder: "s1"}, "c0de-1"); err != nil || e.UDID != hardware {
			t.Error(e, err)
		}
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s1"}, "C0DE-1", ""); err != nil || f.lease(t, hardware).Held() {
			t.Error(err)
		}
	})
}

// TestFailingDriverHidesNoOtherDevices: the devices of the others are there, and who asks for one that is not is told why.
func TestFailingDriverHidesNoOtherDevices(t *testing.T) {
	both(t, three(), nil, func(t *testing.T, p *pool.Pool, _ *farm, c *cable) {
		c.err = errors.New("no cable is plugged in")
		entries, err := p.Entries(t.Context())
		if err != nil || len(entries) != 3 || !strings.Contains(p.Notice(), "cable could not list its devices: no cable") {
			t.Error(entries, err, p.Notice())
		}
		if _, err := p.Resolve(t.Context(), pool.Criteria{UDID: "DEV-1"}); err != nil {
			t.Error(err)
		}
		_, err = p.Resolve(t.Context(), pool.Criteria{UDID: hardware})
		refused(t, err, fault.DeviceNotFound, hardware, "no cable is plugged in")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{UDID: hardware}, Holder: "s1"})
		refused(t, err, fault.DeviceNotFound, "No device matching", "no cable is plugged in")
		c.err = &fs.PathError{Op: "write", Path: "/home/run/x.json", Err: syscall.ENOSPC}
		_, err = p.Resolve(t.Context(), pool.Criteria{UDID: hardware})
		refused(t, err, fault.DiskFull, "/home/run/x.json", "could not list its devices")
		c.err = nil
		if _, err := p.List(t.Context()); err != nil || p.Notice() != "" {
			t.Error(err, p.Notice())
		}
	})
}

// TestSlowDriverDoesNotDelayOthers: a device that is named is found as soon as its own driver answers.
func TestSlowDriverDoesNotDelayOthers(t *testing.T) {
	_, other := kims()
	both(t, vectors(), []device.Info{other}, func(t *testing.T, p *pool.Pool, f *farm, c *cable) {
		c.gate = make(chan struct{})
		began := time.Now()
		for _, which := range []pool.Criteria{{UDID: "AAAA"}, {Name: "iPhone 15"}, {Current: "BBBB"}} {
			if _, err := p.Resolve(t.Context(), which); err != nil {
				t.Errorf("%+v: %v", which, err)
			}
		}
		must(t, p, pool.Ask{Want: pool.Want{UDID: "AAAA"}, Holder: "s1", On: true}, "AAAA")
		_, err := acquire(t, p, pool.Ask{Want: pro, Holder: "s2", On: true})
		refused(t, err, fault.DeviceClaimed, "claimed by s1")
		if state, err := p.State(t.Context(), "CCCC"); err != nil || state != "shutdown" {
			t.Error(state, err)
		}
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s1"}, "AAAA", ""); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("that took %s", took)
		}
		if infos, err := p.List(t.Context()); err != nil || len(infos) != 3 || time.Since(began) != 30*time.Second {
			t.Error(infos, err, time.Since(began))
		}
		if !strings.Contains(p.Notice(), "the driver cable did not list its devices within 30s") {
			t.Error(p.Notice())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.List(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestPhysicalDeviceOpenWaitsForSlowDriver: it waits a moment for a driver that is slower than the first one.
func TestPhysicalDeviceOpenWaitsForSlowDriver(t *testing.T) {
	one, other := kims()
	both(t, []device.Info{one}, []device.Info{other}, func(t *testing.T, p *pool.Pool, _ *farm, c *cable) {
		c.gate = make(chan struct{})
		time.AfterFunc(time.Second, func() { close(c.gate) })
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: hardware})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := device.Has[device.Camera](h.Device); !ok {
			t.Error("what the slower driver can is missing")
		}
	})
}

// TestLateDriverAddsAbilitiesToOpenDevice to a device that is open already.
func TestLateDriverAddsAbilitiesToOpenDevice(t *testing.T) {
	one, other := kims()
	both(t, []device.Info{one}, []device.Info{other}, func(t *testing.T, p *pool.Pool, _ *farm, c *cable) {
		c.gate = make(chan struct{})
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: hardware})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := device.Has[device.Camera](h.Device); ok {
			t.Error("where from?")
		}
		close(c.gate)
		synctest.Wait()
		if _, ok := device.Has[device.Camera](h.Device); !ok {
			t.Error("no camera")
		}
		if again, err := p.Resolve(t.Context(), pool.Criteria{UDID: "F2LX0"}); err != nil || again != h {
			t.Error(err)
		}
	})
}

// TestPhysicalDeviceMustBeNamed: it has to be named, and a simulator of the same name comes first.
func TestPhysicalDeviceMustBeNamed(t *testing.T) {
	_, other := kims()
	simulator := sim("SIM", "iPhone", "iOS 18.2", "shutdown")
	both(t, []device.Info{simulator}, []device.Info{other}, func(t *testing.T, p *pool.Pool, f *farm, _ *cable) {
		_, err := p.Resolve(t.Context(), pool.Criteria{})
		refused(t, err, fault.NoDevice, "no device is booted")
		for _, c := range []struct {
			pool.Criteria
			want string
		}{
			{pool.Criteria{AnyIdle: true}, "SIM"}, {pool.Criteria{Name: "iphone"}, "SIM"},
			{pool.Criteria{Current: other.UDID}, other.UDID}, {pool.Criteria{Name: "C0DE-1"}, other.UDID},
		} {
			if h, err := p.Resolve(t.Context(), c.Criteria); err != nil || h.Info().UDID != c.want {
				t.Errorf("%+v: %v", c.Criteria, err)
			}
		}
		must(t, p, pool.Ask{Holder: "s1"}, "SIM")
		must(t, p, pool.Ask{Holder: "s2", Want: pool.Want{Type: device.TypePhysical}}, other.UDID)
	})
}

// newerState is the journal of a newer program.
type newerState struct{ deaf }

var errNewer = fault.New(fault.StateFailed, "state.db has version 99, this ios-agent knows version 1").
	WithHint("install the newer ios-agent again")

func (newerState) Load() (lease.Kept, error) { return lease.Kept{}, errNewer }

// TestUnreadableLeasesRefuseUseButAllowLooks: what needs a lease is refused with one fault; what only looks works, and says that nobody
// knows who has which device.
func TestUnreadableLeasesRefuseUseButAllowLooks(t *testing.T) {
	table := lease.NewTable(lease.Options{Journal: newerState{}})
	defer table.Close()
	p := pool.New(pool.Options{Drivers: []device.Driver{&farm{infos: three()}}, Leases: table, Implicit: time.Minute})
	defer p.Close()
	h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "DEV-0", Holder: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	refusals := map[string]error{"drive": p.Drive(t.Context(), h.For("s1", true), func() error { t.Error("it ran"); return nil })}
	_, refusals["claim"] = acquire(t, p, pool.Ask{Holder: "s1"})
	_, refusals["release"] = p.Release(t.Context(), lease.Who{Holder: "s1"}, "DEV-0", "")
	_, refusals["renew"] = p.Renew(t.Context(), lease.Who{Holder: "s1"}, "DEV-0")
	_, _, refusals["take over"] = p.TakeOver(t.Context(), pool.Ask{Want: pool.Want{UDID: "DEV-0"}, Holder: "s1"}, "why")
	_, refusals["cleanup"] = p.Cleanup(t.Context())
	for what, err := range refusals {
		if refused(t, err, fault.StateFailed, errNewer.Error()); !strings.Contains(fault.From(err).Hint, "newer ios-agent") {
			t.Errorf("%s: %s", what, fault.From(err).Hint)
		}
	}
	if d := fault.From(refusals["drive"]).Dispatched; d != fault.NotDispatched {
		t.Error(d)
	}
	looked := false
	if err := p.Drive(t.Context(), h.For("s1", false), func() error { looked = true; return nil }); err != nil || !looked {
		t.Error(err)
	}
	entries, err := p.Entries(t.Context())
	if err != nil || len(entries) != 3 || entries[0].ClaimStatus != pool.Unknown {
		t.Error(entries, err)
	}
}
