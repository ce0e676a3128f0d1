package world_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/world"
)

const shop = "com.iosagent.shop"

// noon is when every test's world begins.
func noon() time.Time { return time.Date(2025, 6, 9, 9, 41, 0, 0, time.UTC) }

// memory is a Store that can be looked into.
type memory struct {
	mu      sync.Mutex
	entries map[string][]byte
	broken  error
}

func (m *memory) Load() (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.entries), m.broken
}

func (m *memory) Save(key string, state []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[string][]byte{}
	}
	m.entries[key] = state
	return m.broken
}

func (m *memory) Delete(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
	return nil
}

func (m *memory) SetAside(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
	return nil
}

// builtin is Shop alone: most tests need one app.
func builtin(t *testing.T) []*app.Bundle {
	t.Helper()
	for _, b := range everyApp(t) {
		if b.ID == shop {
			return []*app.Bundle{b}
		}
	}
	t.Fatal("there is no Shop")
	return nil
}

// readApps reads the built-in apps once: nothing changes them.
var readApps = sync.OnceValues(apps.Builtin)

func everyApp(t testing.TB) []*app.Bundle {
	t.Helper()
	bundles, err := readApps()
	if err != nil {
		t.Fatal(err)
	}
	return bundles
}

func newWorld(t *testing.T, o world.Options) *world.World {
	t.Helper()
	if o.Clock == nil {
		o.Clock = world.RequestClock(noon())
	}
	w, err := world.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// driver does things to the first device of a world, and fails the test when they fail.
type driver struct {
	*world.World
	t    *testing.T
	udid string
}

// drive boots a world's device with the built-in apps.
func drive(t *testing.T, o world.Options) *driver {
	t.Helper()
	if o.Preinstalled == nil {
		o.Preinstalled = builtin(t)
	}
	w := newWorld(t, o)
	d := &driver{World: w, t: t, udid: w.Devices()[0].UDID}
	d.must(w.Boot(t.Context(), d.udid))
	return d
}

func (d *driver) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *driver) launch(bundle string) int {
	d.t.Helper()
	pid, err := d.Launch(d.t.Context(), d.udid, bundle, world.LaunchOptions{})
	d.must(err)
	return pid
}

func (d *driver) settle() world.Observation {
	d.t.Helper()
	o, err := d.Observe(d.t.Context(), d.udid, "", world.Wait{Stable: 100 * time.Millisecond, Max: 3 * time.Second})
	d.must(err)
	if !o.Settled {
		d.t.Fatal("the screen does not settle")
	}
	return o
}

func (d *driver) root() *world.Element {
	d.t.Helper()
	root, _, err := d.Snapshot(d.t.Context(), d.udid, "")
	d.must(err)
	return root
}

// find finds an element of the settled screen by identifier or label, nil if there is none.
func (d *driver) find(name string) *world.Element {
	d.t.Helper()
	for e := range d.settle().Root.All() {
		if e.Identifier == name || e.Label == name {
			return e
		}
	}
	return nil
}

func (d *driver) get(name string) *world.Element {
	d.t.Helper()
	e := d.find(name)
	if e == nil {
		d.t.Fatalf("there is no %q on the screen", name)
	}
	return e
}

func (d *driver) tap(name string) {
	d.t.Helper()
	d.must(d.Tap(d.t.Context(), d.udid, d.get(name).Frame.Centre()))
}

func (d *driver) write(text string) {
	d.t.Helper()
	d.must(d.TypeText(d.t.Context(), d.udid, text))
}

func (d *driver) login() {
	d.t.Helper()
	d.launch(shop)
	d.tap("email-field")
	d.write("ada@example.com")
	d.tap("password-field")
	d.write("secret\n")
	d.tap("login-button")
}

// wantError checks that err is of a kind and says what the real tools say.
func wantError(t *testing.T, err, kind error, domain string, code int, message string) {
	t.Helper()
	var e *world.Error
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		t.Fatalf("error is %v, want %v", err, kind)
	}
	if e.Domain != domain || e.Code != code || e.Message != message {
		t.Errorf("error is %s %d %q", e.Domain, e.Code, e.Message)
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
