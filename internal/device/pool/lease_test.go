package pool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// farm is a driver whose devices boot, break and change behind our back.
type farm struct {
	mu     sync.Mutex
	infos  []device.Info
	broken map[string]bool          // says it is booted, and cannot run anything
	boots  map[string]time.Duration // how long a boot takes; a day is for ever
	booted []string                 // in this order
	asked  int
	silent error
	leases *lease.Table
}

// lease is who has a device.
func (f *farm) lease(t *testing.T, udid string) lease.Lease {
	t.Helper()
	l, err := f.leases.Get(t.Context(), udid)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (f *farm) Name() string { return "farm" }
func (f *farm) List(context.Context) ([]device.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return append([]device.Info(nil), f.infos...), f.silent
}
func (f *farm) Open(i device.Info) device.Device { return &beast{f, i} }

func (f *farm) set(udid, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.infos {
		if f.infos[i].UDID == udid {
			f.infos[i].State = state
		}
	}
}

type beast struct {
	farm *farm
	info device.Info
}

func (b *beast) Info() device.Info { return b.info }
func (b *beast) Driver() string    { return "farm" }
func (b *beast) Close() error      { return nil }

func (b *beast) Boot(ctx context.Context) error {
	b.farm.mu.Lock()
	wait := b.farm.boots[b.info.UDID]
	b.farm.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return ctx.Err()
	}
	b.farm.set(b.info.UDID, device.Booted)
	b.farm.mu.Lock()
	defer b.farm.mu.Unlock()
	b.farm.booted = append(b.farm.booted, b.info.UDID)
	return nil
}

func (b *beast) Shutdown(context.Context) error {
	b.farm.set(b.info.UDID, "shutdown")
	b.farm.mu.Lock()
	defer b.farm.mu.Unlock()
	delete(b.farm.broken, b.info.UDID) // what everybody tries first
	return nil
}

func (b *beast) Probe(context.Context) error {
	b.farm.mu.Lock()
	defer b.farm.mu.Unlock()
	if b.farm.broken[b.info.UDID] {
		return fault.New(fault.ToolFailed, "spawn: no")
	}
	return nil
}

func sim(udid, name, os, state string) device.Info {
	return device.Info{UDID: udid, Name: name, OS: os, State: state, Type: "simulator", Available: true}
}

// three is the seed's pool: three booted, unclaimed devices of one name.
func three() []device.Info {
	var infos []device.Info
	for i := range 3 {
		infos = append(infos, sim(fmt.Sprintf("DEV-%d", i), "iPhone 16 Pro", "iOS 18.2", device.Booted))
	}
	return infos
}

// vectors is the pool of the specification's vectors.
func vectors() []device.Info {
	return []device.Info{
		sim("AAAA", "iPhone 16 Pro", "iOS 18.2", device.Booted), sim("BBBB", "iPhone 16 Pro Max", "iOS 18.2", device.Booted),
		sim("CCCC", "iPhone 15", "iOS 17.5", "shutdown"),
	}
}

// in runs a test in a bubble of its own time, with a pool over a farm.
func in(t *testing.T, infos []device.Info, test func(t *testing.T, p *pool.Pool, f *farm)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &farm{infos: infos, broken: map[string]bool{}, boots: map[string]time.Duration{}}
		f.leases = lease.NewTable(lease.Options{})
		p := pool.New(pool.Options{Drivers: []device.Driver{f}, Leases: f.leases, Implicit: 5 * time.Minute})
		test(t, p, f)
		p.Close()
		f.leases.Close()
	})
}

func acquire(t *testing.T, p *pool.Pool, a pool.Ask) (string, error) {
	grants, _, err := p.Acquire(t.Context(), a)
	if err != nil {
		return "", err
	}
	return grants[0].Info.UDID, nil
}

func must(t *testing.T, p *pool.Pool, a pool.Ask, want string) {
	t.Helper()
	if got, err := acquire(t, p, a); err != nil || got != want {
		t.Errorf("%+v: %s %v, not %s", a, got, err, want)
	}
}

// refused checks the code and every word the message must have.
func refused(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%v, not %s", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

var pro = pool.Want{Name: "iPhone 16 Pro"}

func TestConcurrentClaimsGetDistinctDevices(t *testing.T) {
	for name, on := range map[string]bool{"claim": false, "resolve": true} {
		in(t, three(), func(t *testing.T, p *pool.Pool, _ *farm) {
			got, errs := make([]string, 4), make([]error, 4)
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() { got[i], errs[i] = acquire(t, p, pool.Ask{Want: pro, Holder: fmt.Sprint("s", i), On: on}) })
			}
			all.Wait()
			distinct := map[string]bool{}
			failed := 0
			for i := range 4 {
				if errs[i] != nil {
					failed++
					refused(t, errs[i], fault.DeviceClaimed, "claimed", "All 3 devices", "wait_if_busy=true", "(iPhone 16 Pro, DEV-")
					continue
				}
				distinct[got[i]] = true
			}
			if len(distinct) != 3 || failed != 1 {
				t.Errorf("%s: %v %v", name, got, errs)
			}
		})
	}
}

func TestReleasedDeviceCanBeClaimedAgain(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, _ *farm) {
		one, _ := acquire(t, p, pool.Ask{Want: pro, Holder: "s1"})
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s2"}, one, ""); !fault.Is(err, fault.NotHolder) {
			t.Errorf("another's: %v", err)
		}
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s1"}, one, ""); err != nil {
			t.Error(err)
		}
		must(t, p, pool.Ask{Want: pool.Want{UDID: one}, Holder: "s2"}, one)
		entries, err := p.Entries(t.Context())
		if err != nil || entries[0].ClaimedBy != "s2" || entries[1].ClaimStatus != "available" {
			t.Error(entries, err)
		}
	})
}

func TestUnusedClaimExpires(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, f *farm) {
		one, _ := acquire(t, p, pool.Ask{Want: pro, Holder: "s1"})
		time.Sleep(20 * time.Minute)
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: one})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Drive(t.Context(), h.For("s1", true), func() error { return nil }); err != nil {
			t.Error(err)
		}
		time.Sleep(20 * time.Minute)
		if l := f.lease(t, one); l.Holder != "s1" {
			t.Error("it was in use ten minutes ago")
		}
		time.Sleep(11 * time.Minute)
		if l := f.lease(t, one); l.Held() {
			t.Errorf("nobody used it for half an hour: %+v", l)
		}
	})
}

// TestClaimsMatchSpecificationVectors are those of the specification, §2.4 and §11.
func TestClaimsMatchSpecificationVectors(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, _ *farm) {
		must(t, p, pool.Ask{Want: pro, Holder: "s1", On: true}, "AAAA")
		_, err := acquire(t, p, pool.Ask{Want: pro, Holder: "s2", On: true})
		refused(t, err, fault.DeviceClaimed, "claimed by s1", "AAAA") // the Max is not a Pro
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15", OS: "18"}, Holder: "s2"})
		refused(t, err, fault.DeviceNotFound, "No device matching name='iPhone 15', os_version='18'", "1 matched the name",
			"iOS 17.5", "2 matched the OS", "iPhone 16 Pro, iPhone 16 Pro Max", "3 devices")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPad Pro"}, Holder: "s2"})
		refused(t, err, fault.DeviceNotFound, "No device matching name='iPad Pro'", "iPhone 15, iPhone 16 Pro, iPhone 16 Pro Max", "3 devices")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{OS: "26"}, Holder: "s2"})
		refused(t, err, fault.DeviceNotFound, "No device matching os_version='26'", "iOS 17.5, iOS 18.2", "3 devices")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s2", On: true})
		refused(t, err, fault.DeviceNotBooted, "All 1 ", "iPhone 15 (CCCC)", "auto_boot=true", "boot_device")
		_, err = acquire(t, p, pool.Ask{Holder: "s2", Count: 5, On: true, Boot: true})
		refused(t, err, fault.DeviceNotFound, "Needed 5", "available 2 (1 booted, 1 shutdown, 1 claimed)")
		_, err = acquire(t, p, pool.Ask{Holder: "s2", Count: 3, On: true, Boot: true})
		refused(t, err, fault.DeviceClaimed, "Needed 3")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{UDID: "ZZZZ"}, Holder: "s2"})
		refused(t, err, fault.DeviceNotFound, "ZZZZ")
	})
}

// TestClaimPrefersBootedAndFreeDevices: booted, then free, then used last, then by name; and a holder keeps what it has.
func TestClaimPrefersBootedAndFreeDevices(t *testing.T) {
	infos := []device.Info{
		sim("A", "b phone", "iOS 18.2", "shutdown"), sim("B", "c phone", "iOS 18.2", device.Booted),
		sim("C", "a phone", "iOS 18.2", device.Booted), sim("D", "d phone", "iOS 18.2", device.Booted),
	}
	in(t, infos, func(t *testing.T, p *pool.Pool, _ *farm) {
		must(t, p, pool.Ask{Holder: "s1"}, "C")
		must(t, p, pool.Ask{Holder: "s1"}, "C")
		must(t, p, pool.Ask{Want: pool.Want{UDID: "d"}, Holder: "s2"}, "D")
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s2"}, "D", ""); err != nil {
			t.Error(err)
		}
		must(t, p, pool.Ask{Holder: "s3"}, "D") // used last
		must(t, p, pool.Ask{Holder: "s4"}, "B")
		must(t, p, pool.Ask{Holder: "s5"}, "A") // as it is, which is off
	})
}

// TestBootingDeviceIsReservedForItsClaim: while one boots for somebody, others get another, and nobody is held up.
func TestBootingDeviceIsReservedForItsClaim(t *testing.T) {
	infos := []device.Info{sim("A", "a", "iOS 18.2", "shutdown"), sim("B", "b", "iOS 18.2", "shutdown")}
	in(t, infos, func(t *testing.T, p *pool.Pool, f *farm) {
		f.boots["A"] = 20 * time.Second
		var slow string
		go func() { slow, _ = acquire(t, p, pool.Ask{Holder: "s1", On: true, Boot: true}) }()
		synctest.Wait()
		began := time.Now()
		must(t, p, pool.Ask{Holder: "s2", On: true, Boot: true}, "B")
		if time.Since(began) != 0 {
			t.Errorf("it waited %s for another's boot", time.Since(began))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if slow != "A" {
			t.Error(slow)
		}
	})
}

func TestEnsureBootsInParallel(t *testing.T) {
	var infos []device.Info
	for i := range 6 {
		infos = append(infos, sim(fmt.Sprint("D", i), "phone", "iOS 18.2", "shutdown"))
	}
	in(t, infos, func(t *testing.T, p *pool.Pool, f *farm) {
		for _, i := range infos {
			f.boots[i.UDID] = 20 * time.Second
		}
		began := time.Now()
		grants, _, err := p.Acquire(t.Context(), pool.Ask{Holder: "s1", Count: 6, On: true, Boot: true})
		if err != nil || len(grants) != 6 || time.Since(began) != 20*time.Second {
			t.Error(len(grants), err, time.Since(began))
		}
	})
}

// TestBootTimeoutReleasesAndQuarantinesDevice: it is said, the claim is given back, the device is put aside and repaired.
func TestBootTimeoutReleasesAndQuarantinesDevice(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, f *farm) {
		f.boots["CCCC"] = 24 * time.Hour
		began := time.Now()
		_, err := acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true, Boot: true})
		refused(t, err, fault.BootFailed, "did not boot within 30s", "CCCC")
		if took := time.Since(began); took != 30*time.Second {
			t.Error(took)
		}
		if l := f.lease(t, "CCCC"); l.Holder == "s1" {
			t.Error("still claimed")
		}
		entries, _ := p.Entries(t.Context())
		if entries[2].Quarantine == "" || entries[2].Available {
			t.Errorf("%+v", entries[2])
		}
		f.mu.Lock()
		f.boots["CCCC"] = time.Second
		f.mu.Unlock()
		time.Sleep(10 * time.Minute)
		if q := p.Quarantines(); len(q) != 0 {
			t.Errorf("not repaired: %v", q)
		}
		must(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true}, "CCCC")
	})
}

// TestDeviceThatCannotRunProgramIsSkipped: the next one is.
func TestDeviceThatCannotRunProgramIsSkipped(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, f *farm) {
		f.broken["DEV-0"], f.boots["DEV-0"] = true, time.Minute
		must(t, p, pool.Ask{Want: pro, Holder: "s1", On: true}, "DEV-1")
		if q := p.Quarantines()["DEV-0"]; !strings.Contains(q.Reason, "cannot run a program") {
			t.Error(q)
		}
		synctest.Wait()
		if l := f.lease(t, "DEV-0"); l.Kind != lease.Repair {
			t.Errorf("%+v", l)
		}
		time.Sleep(2 * time.Minute)
		must(t, p, pool.Ask{Want: pool.Want{UDID: "DEV-0"}, Holder: "s1", On: true}, "DEV-0")
	})
}

// TestRefreshRetriesFailedRepair: after some tries a device is left alone until somebody asks.
func TestRefreshRetriesFailedRepair(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, f *farm) {
		f.boots["CCCC"] = 24 * time.Hour
		_, err := acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true, Boot: true, BootWait: time.Second})
		refused(t, err, fault.BootFailed, "did not boot within 1s")
		time.Sleep(time.Hour)
		f.mu.Lock()
		f.boots["CCCC"] = 0
		f.mu.Unlock()
		time.Sleep(time.Hour)
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true, Boot: true})
		refused(t, err, fault.DeviceBroken, "did not boot within 1s")
		if _, err := p.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		must(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true}, "CCCC")
	})
}

// TestCancelledClaimTakesNoDevice: a caller that goes while its device boots leaves no claim behind.
func TestCancelledClaimTakesNoDevice(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, f *farm) {
		f.boots["CCCC"] = 20 * time.Second
		ctx, leave := context.WithTimeout(t.Context(), 10*time.Second)
		defer leave()
		if _, _, err := p.Acquire(ctx, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true, Boot: true}); err == nil {
			t.Error("to whom?")
		}
		if l := f.lease(t, "CCCC"); l.Held() || len(p.Quarantines()) != 0 {
			t.Errorf("%+v %v", l, p.Quarantines())
		}
	})
}

// TestWaitingClaimWakesOrTimesOut: woken by a release and by somebody who boots a device; or told when the time is over.
func TestWaitingClaimWakesOrTimesOut(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, f *farm) {
		must(t, p, pool.Ask{Want: pro, Holder: "s1", On: true}, "AAAA")
		_, err := acquire(t, p, pool.Ask{Want: pro, Holder: "s2", On: true, Wait: 30 * time.Second})
		refused(t, err, fault.WaitTimeout, "Timed out after 30.0 seconds", "name='iPhone 16 Pro'", "1 are claimed: s1 (iPhone 16 Pro, AAAA)")

		var got string
		go func() { got, _ = acquire(t, p, pool.Ask{Want: pro, Holder: "s2", On: true, Wait: time.Minute}) }()
		time.Sleep(10 * time.Second)
		if _, err := p.Release(t.Context(), lease.Who{Holder: "s1"}, "AAAA", ""); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got != "AAAA" {
			t.Errorf("released, and nobody woke: %q", got)
		}
		go func() {
			got, _ = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s3", On: true, Wait: time.Minute})
		}()
		time.Sleep(10 * time.Second)
		f.set("CCCC", device.Booted)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got != "CCCC" {
			t.Errorf("booted by somebody, and nobody woke: %q", got)
		}
	})
}

// TestNamedDeviceWorksWithBrokenLeases is the seed's §1.2: what is named or current never asks the pool, and a broken pool is invisible.
func TestNamedDeviceWorksWithBrokenLeases(t *testing.T) {
	solo := []device.Info{sim("SOLO", "iPhone 16 Pro", "iOS 18.2", device.Booted)}
	broken := lease.NewTable(lease.Options{Journal: deaf{}})
	for name, leases := range map[string]*lease.Table{"no pool": nil, "a broken pool": broken} {
		p := pool.New(pool.Options{Drivers: []device.Driver{&farm{infos: solo}}, Leases: leases, Implicit: time.Minute})
		for _, c := range []pool.Criteria{{Holder: "s1"}, {Holder: "s1", UDID: "SOLO"}, {Holder: "s1", Current: "SOLO"}} {
			h, err := p.Resolve(t.Context(), c)
			if err != nil || h.Info().UDID != "SOLO" {
				t.Errorf("%s, %+v: %v", name, c, err)
				continue
			}
			ran := false
			if err := p.Drive(t.Context(), h.For("s1", true), func() error { ran = true; return nil }); err != nil || !ran {
				t.Errorf("%s, %+v: %v", name, c, err)
			}
		}
		p.Close()
	}
	broken.Close()
}

// TestOnlyDeviceOfHolderIsTheDefault: with one claim and several booted, nobody has to name it, and no tool is asked.
func TestOnlyDeviceOfHolderIsTheDefault(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, f *farm) {
		must(t, p, pool.Ask{Want: pool.Want{UDID: "DEV-1"}, Holder: "s1"}, "DEV-1")
		asked := f.asked
		if h, err := p.Resolve(t.Context(), pool.Criteria{Holder: "s1"}); err != nil || h.Info().UDID != "DEV-1" || f.asked != asked {
			t.Error(err, f.asked-asked)
		}
		must(t, p, pool.Ask{Want: pool.Want{UDID: "DEV-2"}, Holder: "s2"}, "DEV-2")
		if h, err := p.Resolve(t.Context(), pool.Criteria{Holder: "s3"}); err != nil || h.Info().UDID != "DEV-0" {
			t.Errorf("the only one that is nobody's: %v", err)
		}
		if _, err := p.Resolve(t.Context(), pool.Criteria{Holder: "s2", Current: "DEV-1"}); err != nil {
			t.Error(err)
		}
	})
}

type deaf struct{}

var errDisk = errors.New("disk on fire")

func (deaf) Load() (lease.Kept, error) { return lease.Kept{}, nil }
func (deaf) Save([]lease.Event) error  { return errDisk }

// TestOnlyDrivingCommandReceivesLeaseEpoch when it is its turn, in the lane and beside it; a look has none.
func TestOnlyDrivingCommandReceivesLeaseEpoch(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, f *farm) {
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "DEV-0"})
		if err != nil {
			t.Fatal(err)
		}
		var told []uint64
		tell := func(epoch uint64) { told = append(told, epoch) }
		nothing := func() error { return nil }
		err = errors.Join(
			p.Drive(t.Context(), h.For("s1", false).Leased(tell), nothing), p.Drive(t.Context(), h.For("s1", true).Leased(tell), nothing),
			p.Beside(t.Context(), h.For("s1", true).Leased(tell), nothing),
		)
		epoch := f.lease(t, "DEV-0").Epoch
		if want := []uint64{epoch, epoch}; err != nil || epoch == 0 || !slices.Equal(told, want) {
			t.Errorf("got %v, %v; want %v", told, err, want)
		}
		if err := p.Drive(t.Context(), h.For("s2", true).Leased(tell), nothing); err == nil || len(told) != 2 {
			t.Errorf("a command that is refused is told %v, %v", told, err)
		}
	})
}

// TestFirstDriverHoldsDeviceUntilTakeOver: the first to drive has it, looks are free, and a take-over stops what still waits.
func TestFirstDriverHoldsDeviceUntilTakeOver(t *testing.T) {
	in(t, three(), func(t *testing.T, p *pool.Pool, f *farm) {
		h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "DEV-0"})
		if err != nil {
			t.Fatal(err)
		}
		nothing := func() error { return nil }
		if err := p.Drive(t.Context(), h.For("s1", true), nothing); err != nil {
			t.Error(err)
		}
		err = p.Drive(t.Context(), h.For("s2", true), nothing)
		refused(t, err, fault.DeviceClaimed, "claimed by s1")
		if f := fault.From(err); f.Dispatched != fault.NotDispatched || f.Details["holder"] != "s1" || !strings.Contains(f.Hint,
			"take_over_device") {
			t.Errorf("%+v", f)
		}
		if err := p.Drive(t.Context(), h.For("s2", false), nothing); err != nil {
			t.Errorf("a look: %v", err)
		}
		hold, late := make(chan struct{}), make(chan error, 1)
		go p.Drive(t.Context(), h.For("s1", true), func() error { <-hold; return nil })
		synctest.Wait()
		go func() {
			late <- p.Drive(t.Context(), h.For("s1", true), func() error { t.Error("ran after the take-over"); return nil })
		}()
		synctest.Wait()
		ask := pool.Ask{Want: pool.Want{UDID: "DEV-0"}, Holder: "s2"}
		if _, before, err := p.TakeOver(t.Context(), ask, "s1 is stuck"); err != nil || before.Holder != "s1" {
			t.Error(before, err)
		}
		close(hold)
		refused(t, <-late, fault.DeviceClaimed, "claimed by s2")
		time.Sleep(time.Hour)
		if f.lease(t, "DEV-0").Held() {
			t.Error("the claim of the take-over ran out long ago")
		}
	})
}

// TestRefusalHintsDoNotRepeatInput: no hint repeats what was given.
func TestRefusalHintsDoNotRepeatInput(t *testing.T) {
	in(t, vectors(), func(t *testing.T, p *pool.Pool, _ *farm) {
		_, err := acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15"}, Holder: "s1", On: true, Wait: 30 * time.Second})
		refused(t, err, fault.WaitTimeout, "1 are free and shut down: iPhone 15 (CCCC)", "auto_boot=true")
		hinted(t, err, hint.Field("auto_boot"))
		_, err = p.Resolve(t.Context(), pool.Criteria{UDID: "AAAA", Name: "iPhone 15"})
		refused(t, err, fault.DeviceNotFound, `the device with the udid "AAAA" is "iPhone 16 Pro", not "iPhone 15"`)
		hinted(t, err, "not by both")
		_, err = acquire(t, p, pool.Ask{Want: pool.Want{Name: "iPhone 15", OS: "18.2"}, Holder: "s1"})
		refused(t, err, fault.DeviceNotFound, "run iOS 17.5")
		hinted(t, err, "leave "+hint.Field("os_version")+" out, or give a version that iPhone 15 has: iOS 17.5")
	})
}

// hinted wants the hint of a fault to have words.
func hinted(t *testing.T, err error, words string) {
	t.Helper()
	if f, is := fault.In(err); !is || !strings.Contains(f.Hint, words) {
		t.Errorf("%v: got the hint %q, want %q in it", err, f.Hint, words)
	}
}
