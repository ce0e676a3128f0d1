// Package house runs the whole product in one process, for tests, over Virtual Xcode. New makes a House: a virtual world whose time passes
// only as requests demand it, Apple's tools played as functions, the driver, pool, leases, sessions and jobs of a daemon, the complete
// catalogue, and its surfaces. It executes no program and needs no binary; a test about processes belongs in test/script. Only tests import
// it.
package house

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/desktop"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
)

// Options change what is in a house. The zero value is what most tests want.
type Options struct {
	Log      *slog.Logger  // of the product; nil discards
	Implicit time.Duration // of the lease the first command takes; 0 is a daemon's five minutes, negative takes none
	JobAfter time.Duration // when a call becomes a job; 0 is a daemon's
	Start    xctest.Start  // how patiently agents are started
	Prewarm  bool
	WDA      bool            // simulators are driven through WebDriverAgent, one of which always runs
	Desktop  desktop.Desktop // of the machine; nil: it has none
	// Windows says that looks at windows wait by the world's time. An app that does something by itself, in a goroutine, needs the real one.
	Windows bool
	// Alternates are drivers that can be chosen. One with the name of one of the product's takes its place.
	Alternates []pool.Alternate
	Now        func() time.Time // what leases go by; nil is the real clock
	Talk       string           // file that keeps what is said with agents; empty keeps nothing

	// Programs changes what a name starts; nil leaves Virtual Xcode's tools.
	Programs func(name string, tool host.Main) host.Main
	Record   bool // transcripts of all programs are kept below the home
	// Inherit names variables that programs get besides the usual ones.
	Inherit []string
	// Observers see every call after the product's own.
	Observers []op.Observer
	// Proxy is what the proxy's process finds on its machine.
	Proxy proxy.ProcessOptions
}

// program is the name that our own binary has here.
const program = "ios-agent"

// own plays our own program: as the proxy's process, which is all that a daemon starts it as.
func (o Options) own(ctx context.Context, in host.Invocation) int {
	return proxy.Main(ctx, in.Stdin, in.Stdout, o.Proxy)
}

// House is one product over one world. Its methods are safe for concurrent use; methods that cannot fail end the test.
type House struct {
	Product *product.Product
	World   *virtualxcode.World
	Virtual virtualxcode.Client // tells the world what is to go wrong
	Home    home.Home
	Secrets *mask.Set // what the product hides

	t     testing.TB
	state *memory
	more  surfaces
	open  func() // opens the product
}

// New opens a house. It is closed when the test ends.
func New(t testing.TB, options ...Options) *House {
	t.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	h := &House{t: t, Home: home.Home(t.TempDir()), state: &memory{entries: map[string][]byte{}}}
	xcode, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{
		Dir: h.Home.Virtual(), Agent: rig.Scheme(), Time: "request@2026-01-02T15:04:05Z", Store: h.state,
	})
	h.must(err)
	t.Cleanup(func() {
		if err := xcode.Close(); err != nil {
			t.Errorf("closing Virtual Xcode: %v", err)
		}
	})
	xcode.Binary, err = os.Executable() // the doctor looks whether tools can be executed; nobody executes them
	h.must(err)
	h.must(xcode.Mount())
	h.World, h.Virtual = xcode.World(), xcode.Client()
	h.open = func() {
		h.Secrets = &mask.Set{}
		runs := host.Options{Inside: o.programs(xcode.Program), Inherit: o.Inherit, Secrets: h.Secrets}
		if o.Record {
			runs.Record = filepath.Join(h.Home.String(), "transcripts")
		}
		runner, err := host.New(runs)
		h.must(err)
		over := product.Options{
			Host: runner, Secrets: h.Secrets, Tools: apple.Toolchain{Name: apple.Virtual, Bin: xcode.Bin(), Reports: xcode.Reports()},
			Usbmux: xcode.Usbmux,
		}
		over.IDB.Clock = h.World
		if o.WDA {
			over.WDA = rig.WDA(h.World)
		}
		if o.Windows {
			over.DesktopClock = h.World
		}
		h.openProduct(o, over)
	}
	h.open()
	t.Cleanup(h.close)
	return h
}

func (o Options) programs(find func(string) host.Main) func(string) host.Main {
	return func(name string) host.Main {
		tool := find(name)
		if name == program {
			tool = o.own
		}
		if o.Programs == nil {
			return tool
		}
		return o.Programs(name, tool)
	}
}

func (h *House) close() {
	if err := h.Product.Close(); err != nil {
		h.t.Errorf("closing the product: %v", err)
	}
}

// Restart closes the product and opens one anew over the same home and the same world, as a daemon that ends and another
// that starts. Its surfaces are made anew too.
func (h *House) Restart() {
	h.t.Helper()
	h.RestartAfter(func() {})
}

// RestartAfter is Restart with something that happens while no product is open.
func (h *House) RestartAfter(meanwhile func()) {
	h.t.Helper()
	h.close()
	meanwhile()
	h.more = surfaces{}
	h.open()
}

// drivers is the product's table with the alternates in it.
func (o Options) drivers() []product.Driver {
	all := product.Drivers()
	for _, a := range o.Alternates {
		row := product.Driver{DriverSpec: a.Spec(), Chosen: func(product.Options) pool.Alternate { return a }}
		if i := slices.IndexFunc(all, func(d product.Driver) bool { return d.Name == row.Name }); i >= 0 {
			all[i] = row
		} else {
			all = append(all, row)
		}
	}
	return all
}

func (h *House) openProduct(o Options, over product.Options) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Implicit == 0:
		o.Implicit = 5 * time.Minute
	case o.Implicit < 0:
		o.Implicit = 0
	}
	if o.JobAfter == 0 {
		o.JobAfter = op.JobAfter
	}
	var err error
	over.Home, over.Version, over.Log, over.Start = h.Home, "test", o.Log, o.Start
	over.Talk, over.Now, over.Program, over.Desktop, over.Observers = o.Talk, o.Now, program, o.Desktop, o.Observers
	over.Implicit, over.JobAfter, over.Prewarm, over.Drivers = o.Implicit, o.JobAfter, o.Prewarm, o.drivers()
	over.Server = system.Server{URL: "http://127.0.0.1", Build: "test", StartedAt: time.Now()}
	h.Product, err = product.Open(over)
	h.must(err)
}

func (h *House) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// Call runs an operation for a session, and answers in the words of a shell. The input is a JSON text, or a value that encodes to one.
func (h *House) Call(session, name string, input any) op.Envelope {
	h.t.Helper()
	raw := h.encode(input)
	return wording.Shell(h.Product.Catalogue).Envelope(h.caller(session).Call(h.t.Context(), name, raw, nil), raw)
}

// Must is Call for a step that has to work. A call that becomes a job is waited for.
func (h *House) Must(session, name string, input any) op.Envelope {
	h.t.Helper()
	e := h.Call(session, name, input)
	var job struct{ Job, Operation string }
	if json.Unmarshal(e.Result, &job) == nil && job.Job != "" && job.Operation == name {
		e = h.Call(session, "job_wait", map[string]any{"job": job.Job})
		var done struct{ Result json.RawMessage }
		h.must(json.Unmarshal(e.Result, &done))
		e.Result = done.Result
	}
	if e.Error != nil {
		h.t.Fatalf("%s: %s", name, e.Text())
	}
	return e
}

func (h *House) caller(session string) op.Local {
	return op.Local{Catalogue: h.Product.Catalogue, Session: session, Dir: h.Home.String()}
}

func (h *House) encode(input any) []byte {
	h.t.Helper()
	switch v := input.(type) {
	case nil:
		return []byte("{}")
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	raw, err := json.Marshal(input)
	h.must(err)
	return raw
}

// Result decodes an answer's result.
func Result[T any](h *House, e op.Envelope) T {
	h.t.Helper()
	var v T
	if e.Error != nil {
		h.t.Fatal(e.Text())
	}
	h.must(json.Unmarshal(e.Result, &v))
	return v
}

// Device is the name of the simulator that Boot boots.
const Device = "iPhone 16"

// Boot boots the usual simulator for a session, launches a built-in app on it if one is named, and gives its udid.
func (h *House) Boot(session, bundle string) (udid string) {
	h.t.Helper()
	e := h.Must(session, "boot_device", map[string]string{"sim": Device})
	if bundle != "" {
		h.Must(session, "launch_app", map[string]string{"bundle_id": bundle})
	}
	return Result[struct{ UDID string }](h, e).UDID
}

// State is a hash of all that the world keeps: devices, apps, settings, logs. Two equal ones are two equal worlds.
func (h *House) State() string { return h.state.hash() }

// memory is a world's store.
type memory struct {
	mu      sync.Mutex
	entries map[string][]byte
}

var _ virtualxcode.Store = (*memory)(nil)

// Load gives a copy of all entries.
func (m *memory) Load() (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.entries), nil
}

// Save keeps an entry.
func (m *memory) Save(key string, state []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = slices.Clone(state)
	return nil
}

// Delete forgets an entry.
func (m *memory) Delete(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
	return nil
}

// SetAside forgets an entry that cannot be read.
func (m *memory) SetAside(key string) error { return m.Delete(key) }

func (m *memory) hash() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(m.entries)) {
		sum.Write([]byte(key))
		sum.Write([]byte{0})
		sum.Write(m.entries[key])
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}
