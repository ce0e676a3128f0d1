package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

var _ Screen = (*world.World)(nil)

const (
	udid = "6F0B1C4E-0000-4000-8000-000000000001"
	shop = "com.example.shop"
)

// stage is a Screen with one app. Its tree is what show makes of the number of looks so far, so that a test
// can let things move.
type stage struct {
	Gestures // not played here: the contract suite tries them on a real world
	Body

	mu    sync.Mutex
	show  func(look int) *world.Element
	state world.AppState
	fails error    // what every act fails with
	looks int      // snapshots taken
	did   []string // acts that went through
}

func newStage() *stage {
	return &stage{show: func(int) *world.Element { return tree() }, state: world.RunningForeground}
}

// tree is a small screen: a button, a field, three rows, and a switch without a name of its own.
func tree() *world.Element {
	row := func(n float64, label string) *world.Element {
		return &world.Element{Type: "Cell", Identifier: "row", Label: label, Frame: world.Rect{X: 0, Y: 200 + n*50, W: 390, H: 50}}
	}
	return &world.Element{Type: "Application", Label: "Shop", Frame: world.Rect{W: 390, H: 844}, Children: []*world.Element{
		{Type: "Window", Frame: world.Rect{W: 390, H: 844}, Children: []*world.Element{
			{Type: "Button", Identifier: "login", Label: "Log in", Frame: world.Rect{X: 20, Y: 100, W: 100, H: 40},
				Children: []*world.Element{
					{Type: "StaticText", Label: "Log in", Frame: world.Rect{X: 30, Y: 110, W: 80, H: 20}},
				}},
			{Type: "TextField", Identifier: "email", Label: "Email", Value: "a@b.c", Placeholder: "you@example.com", Focused: true,
				Frame: world.Rect{X: 20, Y: 150, W: 350, H: 40}},
			row(0, "Tea"), row(1, "Coffee"), row(2, "Milk"),
			{Type: "Switch", Identifier: "news", Disabled: true, Selected: true, Frame: world.Rect{X: 300, Y: 400, W: 60, H: 30}},
			{Type: "Other", Children: []*world.Element{{Type: "Other"}}},
		}},
	}}
}

func (s *stage) shown(_ context.Context, device, bundle string) (*world.Element, world.AppState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if device != udid {
		return nil, "", fmt.Errorf("device %s: %w", device, world.ErrInvalidDevice)
	}
	if bundle != shop {
		return nil, world.NotRunning, nil
	}
	s.looks++
	return s.show(s.looks), s.state, nil
}

func (s *stage) State(_ context.Context, _, bundle string) (world.AppState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bundle != shop {
		return world.NotRunning, nil
	}
	return s.state, nil
}

func (s *stage) Observe(ctx context.Context, device, bundle string, w world.Wait) (world.Observation, error) {
	root, state, err := s.shown(ctx, device, bundle)
	return world.Observation{Root: root, State: state, Bundle: bundle, Settled: true, Waited: w.Stable + w.Min, Samples: 2}, err
}

func (s *stage) act(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		s.did = append(s.did, fmt.Sprintf(format, args...))
	}
	return s.fails
}

func (s *stage) Tap(_ context.Context, _ string, p world.Point) error { return s.act("tap %v", p) }
func (s *stage) LongPress(_ context.Context, _ string, p world.Point, d time.Duration) error {
	return s.act("press %v %s", p, d)
}
func (s *stage) Swipe(_ context.Context, _ string, from, to world.Point, d time.Duration) error {
	return s.act("swipe %v %v %s", from, to, d)
}
func (s *stage) TypeText(_ context.Context, _, text string) error { return s.act("type %s", text) }

func (s *stage) acts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.did)
}

// options are those of most tests: no token, and time that passes only when the agent sleeps.
func options(s *stage) Options {
	return Options{UDID: udid, Build: "b1", PID: 42, Screen: s, Clock: world.RequestClock(time.Unix(0, 0))}
}

// connect serves a client; the session has ended when the test has. served gives what Serve returned.
func connect(t *testing.T, a *Agent) (client *agentwire.Client, served <-chan error) {
	t.Helper()
	near, far := net.Pipe()
	client = agentwire.NewClient(near)
	result, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		result <- a.Serve(t.Context(), far)
	}()
	t.Cleanup(func() { client.Close(); <-ended })
	return client, result
}

// open connects in the newest version, with the shop as target.
func open(t *testing.T, o Options) *agentwire.Client {
	t.Helper()
	client, _ := connect(t, New(o))
	if _, err := client.Hello(t.Context(), o.Token, "test"); err != nil {
		t.Fatal(err)
	}
	ok(t, client, &agentwire.SetTarget{Bundle: shop})
	return client
}

func ok(t *testing.T, c *agentwire.Client, req agentwire.Request) {
	t.Helper()
	if _, err := agentwire.Ask[*agentwire.OK](t.Context(), c, req); err != nil {
		t.Errorf("%s: %v", req.Opcode(), err)
	}
}

func ask[R agentwire.Response](t *testing.T, c *agentwire.Client, req agentwire.Request) R {
	t.Helper()
	r, err := agentwire.Ask[R](t.Context(), c, req)
	if err != nil {
		t.Fatalf("%s: %v", req.Opcode(), err)
	}
	return r
}

func wantFault(t *testing.T, c *agentwire.Client, req agentwire.Request, code agentwire.Code) {
	t.Helper()
	_, err := c.Do(t.Context(), req)
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != code {
		t.Errorf("%s: error %v, want code %s", req.Opcode(), err, code)
	}
}

func wantActs(t *testing.T, s *stage, want ...string) {
	t.Helper()
	if got := s.acts(); !slices.Equal(got, want) {
		t.Errorf("the device felt %q, want %q", got, want)
	}
}
