package streams_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// phone is a device whose log is what a small program prints. It has begun when it prints a line that begins with "Filtering".
type phone struct {
	t    *testing.T
	host *host.Host
	dir  string
	kind string // simulator or device

	mu      sync.Mutex
	off     bool
	scripts []string           // of one beginning after the other; the last one of all further ones
	asked   []device.LogFilter // each beginning
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Logs   = (*phone)(nil)
)

func (p *phone) Info() device.Info {
	return device.Info{UDID: "PHONE-1", Name: "phone", State: device.Booted, Type: p.kind}
}
func (p *phone) Driver() string { return "test" }
func (p *phone) Close() error   { return nil }

func (p *phone) LogName(_ context.Context, bundle string) (string, error) {
	return strings.TrimPrefix(bundle, "com.example."), nil
}

func (p *phone) FollowLog(ctx context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	p.mu.Lock()
	off, script := p.off, p.scripts[min(len(p.asked), len(p.scripts)-1)]
	if !off {
		p.asked = append(p.asked, what)
	}
	p.mu.Unlock()
	if off {
		return nil, fault.New(fault.DeviceNotBooted, "phone is shutdown")
	}
	head := func(line string) bool { return strings.HasPrefix(line, "Filtering") }
	s, err := stream.Start(ctx, p.host, stream.Program{
		Cmd: host.Cmd{Name: "sh", Args: []string{"-c", script}, Dir: p.dir}, Remark: head, Ready: head, Wait: time.Minute,
	}, line)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *phone) set(off bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = off
}

func (p *phone) began() []device.LogFilter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// rig is a manager, its store and a phone.
type rig struct {
	*streams.Manager
	t     *testing.T
	store *telemetry.Store
	phone *phone
	sub   *telemetry.Subscription
	dir   string
	db    string
	gone  func(int) bool
	over  []string // the apps that ended, in tests in which nothing ends by itself

	mu  sync.Mutex
	now time.Time
}

const forever = `echo 'Filtering the log data'; cat lines 2>/dev/null; exec sleep 1000`

func newRig(t *testing.T, scripts ...string) *rig {
	t.Helper()
	h, err := host.New(host.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) == 0 {
		scripts = []string{forever}
	}
	p := &phone{t: t, host: h, dir: t.TempDir(), kind: "simulator", scripts: scripts}
	r := &rig{t: t, phone: p, now: time.Now(), dir: filepath.Join(t.TempDir(), "[all]*consoles")}
	r.db = filepath.Join(t.TempDir(), "telemetry.db")
	r.reopen()
	t.Cleanup(func() {
		for _, err := range []error{r.Close(), h.Close(), r.store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// reopen opens the store and a manager on it, as the next daemon does.
func (r *rig) reopen() {
	r.store = telemetry.New(telemetry.Options{Path: r.db})
	r.sub = r.store.Follow(telemetry.Query{})
	r.open()
}

func (r *rig) open() {
	r.Manager = streams.New(streams.Options{
		Store: r.store, Dir: r.dir, Now: r.clock, Pause: time.Millisecond, Gone: r.gone,
		Hide:  func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") },
		Ended: func(udid, app string) { r.over = append(r.over, udid+" "+app) },
	})
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// hang is after how long a test is taken for hung.
const hang = time.Minute

// await waits for an entry whose message has a part.
func (r *rig) await(part string) telemetry.Entry {
	r.t.Helper()
	late := time.NewTimer(hang)
	defer late.Stop()
	for {
		select {
		case e := <-r.sub.C:
			if strings.Contains(e.Message, part) {
				return e
			}
		case <-late.C:
			r.t.Fatalf("no entry with %q; sources %+v", part, r.store.Sources())
		}
	}
}

func (r *rig) follow(session, app string, level device.LogLevel) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), hang)
	defer cancel()
	err := r.Follow(r.phone, streams.Request{Owner: owner(session), App: app, Level: level}).Begun(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
}

func owner(session string) device.Owner { return device.Owner{Session: session, UDID: "PHONE-1"} }

func event(message, more string) string {
	return fmt.Sprintf(`{"timestamp":"2026-01-02 15:04:05.123456+0100","messageType":"Default","eventType":"logEvent","eventMessage":%q,`+
		`"processImagePath":"\/x\/Shop.app\/Shop","processID":77,"subsystem":"com.example.Shop","category":"net"%s}`, message, more)
}

func (r *rig) lines(text ...string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.phone.dir, "lines"), []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

const shop = "com.example.Shop"

// TestEventsBecomeEntries: both forms of JSON are read, and what is no message is left out.
func TestEventsBecomeEntries(t *testing.T) {
	r := newRig(t)
	pretty := strings.NewReplacer(`{"`, "[{\n  \"", `,"`, ",\n  \"").Replace(strings.TrimSuffix(event("in many } { lines", ""), "}")) + "\n}]"
	r.lines(event("one", ""), event("", `,"formatString":"from its %s format"`), event("", ""),
		strings.Replace(event("a signpost", ""), "logEvent", "signpostEvent", 1), "a remark of the tool", pretty, event("last", ""))
	r.follow("ann", shop, "")
	e := r.await("one")
	at := time.Date(2026, 1, 2, 14, 4, 5, 123456000, time.UTC)
	if e.Process != "Shop" || e.PID != 77 || e.Level != telemetry.Notice || !e.Time.Equal(at) || e.Subsystem != shop || e.Category != "net" ||
		e.App != shop || e.Device != "PHONE-1" || e.Source != telemetry.Simulator {
		t.Errorf("%+v", e)
	}
	r.await("from its %s format")
	r.await("in many } { lines")
	r.await("last")
	page, err := r.store.Query(t.Context(), telemetry.Query{})
	if err != nil || page.Total != 4 {
		t.Errorf("%v %+v", err, page)
	}
	if asked := r.phone.began(); len(asked) != 1 || asked[0].Process != "Shop" || asked[0].Level != device.LogDefault || !asked[0].Events {
		t.Errorf("%+v", asked)
	}
}

// TestPhysicalDeviceLogIsReadAsText is text: a line is there at once, one that goes on too, and what is less grave than wanted is not.
func TestPhysicalDeviceLogIsReadAsText(t *testing.T) {
	r := newRig(t)
	r.phone.kind = device.TypePhysical
	r.lines("Jan  2 15:04:05 iPhone Shop(UIKitCore)[77] <Notice>: hello", "  goes on", "Jan  2 15:04:06 iPhone Shop[77] <Debug>: too much",
		"2026-01-02 15:04:07.000001 Shop{libnet}[77] <ERROR>: it failed")
	r.follow("ann", shop, "")
	e := r.await("hello")
	if e.Process != "Shop" || e.PID != 77 || e.Level != telemetry.Notice || e.Source != telemetry.Device || e.Time.Month() != time.January {
		t.Errorf("%+v", e)
	}
	r.await("goes on")
	if e := r.await("it failed"); e.Level != telemetry.Error || e.App != shop {
		t.Errorf("%+v", e)
	}
	page, err := r.store.Query(t.Context(), telemetry.Query{})
	if err != nil || page.Total != 3 {
		t.Errorf("%v %+v", err, page)
	}
}

func TestEventLevelsMapToEntryLevels(t *testing.T) {
	r := newRig(t)
	words := []string{"Debug", "Info", "Default", "Error", "Fault", "Strange"}
	var text []string
	for _, word := range words {
		text = append(text, strings.Replace(event("said "+word, ""), `"Default"`, `"`+word+`"`, 1))
	}
	r.lines(text...)
	r.follow("ann", shop, device.LogDebug)
	want := []telemetry.Level{telemetry.Debug, telemetry.Info, telemetry.Notice, telemetry.Error, telemetry.Fault, telemetry.Notice}
	for i, word := range words {
		if e := r.await("said " + word); e.Level != want[i] {
			t.Errorf("%s is %s", word, e.Level)
		}
	}
}

// alive is a program that prints nothing until it is interrupted, and writes into a file then.
const alive = `trap 'echo x >> ended; exit 0' INT; echo 'Filtering'; while :; do sleep 0.01; done`

func (r *rig) ended() int {
	b, _ := os.ReadFile(filepath.Join(r.phone.dir, "ended"))
	return strings.Count(string(b), "x")
}

// status waits until a source is as it should be; a state has no event, so it is asked again and again.
func (r *rig) status(id, want string) telemetry.State {
	r.t.Helper()
	again, late := time.NewTicker(time.Millisecond), time.NewTimer(hang)
	defer again.Stop()
	defer late.Stop()
	for {
		for _, s := range r.store.Sources() {
			if strings.HasPrefix(s.ID, id) && s.Status == want {
				return s
			}
		}
		select {
		case <-again.C:
		case <-late.C:
			r.t.Fatalf("no %s that is %s: %+v", id, want, r.store.Sources())
		}
	}
}

// TestSessionsShareOneStream: it is begun once, and ends with its last owner.
func TestSessionsShareOneStream(t *testing.T) {
	r := newRig(t, alive)
	r.follow("ann", shop, "")
	r.follow("bob", shop, "")
	r.follow("ann", shop, "")
	if n := len(r.phone.began()); n != 1 {
		t.Fatalf("%d programs", n)
	}
	r.EndAll(func(o device.Owner) bool { return o.Session == "ann" })
	if s := r.store.Sources()[0]; s.Status != "streaming" || r.ended() != 0 {
		t.Errorf("%+v", s)
	}
	if n := r.Stop(owner("ann"), shop); n != 0 {
		t.Errorf("ann ended %d of bob's", n)
	}
	if n := r.Stop(owner("bob"), ""); n != 1 {
		t.Errorf("bob ended %d", n)
	}
	r.status("log-PHONE-1", "stopped")
	if n := r.ended(); n != 1 {
		t.Errorf("%d programs ended", n)
	}
}

// TestWiderStreamReplacesNarrowerOne: a stream that shows all that another does takes its place, and gives it back.
func TestWiderStreamReplacesNarrowerOne(t *testing.T) {
	r := newRig(t, alive)
	live := func() (ids []string) {
		for _, s := range r.store.Sources() {
			if s.Status == "streaming" {
				ids = append(ids, s.ID)
			}
		}
		return ids
	}
	r.follow("ann", shop, device.LogDefault)
	r.follow("bob", shop, device.LogDebug)
	r.status("log-PHONE-1-com.example.Shop", "stopped")
	r.follow("bob", "com.example.Other", device.LogInfo)
	r.follow("cat", shop, device.LogInfo)
	if ids := live(); len(ids) != 2 {
		t.Errorf("%q", ids)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if err := r.Follow(r.phone, streams.Request{Owner: owner("cat"), All: true, Level: device.LogDebug}).Begun(ctx); err != nil {
		t.Fatal(err)
	}
	r.status("log-PHONE-1-com.example.Other", "stopped")
	r.status("log-PHONE-1-com.example.Shop-debug", "stopped")
	if ids := live(); len(ids) != 1 || ids[0] != "log-PHONE-1-all-debug" {
		t.Errorf("%q", ids)
	}
	r.EndAll(func(o device.Owner) bool { return o.Session != "ann" })
	r.Begun(ctx, "PHONE-1", "")
	r.status("log-PHONE-1-all", "stopped")
	if ids := live(); len(ids) != 1 || ids[0] != "log-PHONE-1-com.example.Shop" {
		t.Errorf("%q", ids)
	}
}

// TestDeadStreamIsRestarted, and readers are told that lines may be missing.
func TestDeadStreamIsRestarted(t *testing.T) {
	r := newRig(t, "echo Filtering; "+"cat first; exit 3", "echo nothing; exit 1", forever)
	if err := os.WriteFile(filepath.Join(r.phone.dir, "first"), []byte(event("before", "")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.lines(event("after", ""))
	r.Follow(r.phone, streams.Request{Owner: owner("ann"), App: shop})
	r.await("before")
	if e := r.await("missing"); e.Level != telemetry.Warning || e.App != shop {
		t.Errorf("%+v", e)
	}
	r.await("after")
	r.status("log-PHONE-1", "streaming")
}

// TestStreamWaitsWhileDeviceIsOff: the stream waits for it, asks nothing meanwhile, and says what is missing.
func TestStreamWaitsWhileDeviceIsOff(t *testing.T) {
	r := newRig(t, "echo Filtering; while [ ! -e off ]; do sleep 0.01; done", forever)
	r.lines(event("after", ""))
	r.follow("ann", shop, "")
	r.phone.set(true)
	if err := os.WriteFile(filepath.Join(r.phone.dir, "off"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := r.status("log-PHONE-1", "stopped"); !strings.Contains(s.Error, "off") {
		t.Errorf("%+v", s)
	}
	r.Heard("ann", "PHONE-1", false)
	r.phone.set(false)
	r.Heard("bob", "PHONE-1", true) // whoever booted it
	if e := r.await("missing"); !strings.Contains(e.Message, "the device was off") {
		t.Error(e.Message)
	}
	r.await("after")
}

// TestIdleSessionStopsItsStream: their program ends, and their next call on the device begins it again.
func TestIdleSessionStopsItsStream(t *testing.T) {
	r := newRig(t, alive)
	r.follow("ann", shop, "")
	r.pass(streams.Idle - time.Second)
	r.Heard("ann", "", false)
	r.pass(streams.Idle - time.Second)
	r.Sweep()
	if r.store.Sources()[0].Status != "streaming" {
		t.Error("a call of its session does not keep it")
	}
	r.Heard("bob", "PHONE-1", true)
	r.pass(time.Second)
	r.Sweep()
	r.status("log-PHONE-1", "stopped")
	r.Heard("ann", "PHONE-1", true)
	r.await("the session was idle")
	if n := len(r.phone.began()); n != 2 {
		t.Errorf("%d programs", n)
	}
}

// TestUnsupportedStreamIsSourceError is the state of the source.
func TestUnsupportedStreamIsSourceError(t *testing.T) {
	r := newRig(t)
	none := &unable{r.phone}
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	err := r.Follow(none, streams.Request{Owner: owner("ann"), App: shop}).Begun(ctx)
	if !fault.Is(err, fault.Unsupported) {
		t.Error(err)
	}
	if s := r.status("log-PHONE-1", "error"); !strings.Contains(s.Error, "show its log") {
		t.Errorf("%+v", s)
	}
}

// unable is a device without logs.
type unable struct{ p *phone }

func (u *unable) Info() device.Info { return u.p.Info() }
func (u *unable) Driver() string    { return "unable" }
func (u *unable) Close() error      { return nil }
