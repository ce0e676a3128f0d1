package agent

import (
	"context"
	"net"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/agenttest"
)

// TestContract holds the virtual agent to what every agent must do.
func TestContract(t *testing.T) {
	agenttest.Run(t, agenttest.Subject{Open: openForContract, Differs: map[string]string{
		"dead-man switch": "the switch is in the virtual xcodebuild, which holds the port; deadman_test.go there",
		"pulses":          "its time passes as requests ask for it, and pulses come in real time; pulse_test.go has them",
		"stops when gone": "its time passes as requests ask for it, so that no wait is long; pulse_test.go has it",
	}})
}

func openForContract(t *testing.T, o agenttest.Options) agenttest.Server {
	t.Helper()
	w, device := booted(t)
	if _, err := w.Launch(t.Context(), device, agenttest.App, world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{
		UDID: agenttest.UDID, Token: o.Token, PID: 42, Screen: on{w, device}, Clock: w,
		Screenshot: func(ctx context.Context) ([]byte, error) {
			scene, err := w.Scene(ctx, device)
			if err != nil {
				return nil, err
			}
			return render.PNG(scene)
		},
	})
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { defer close(ended); a.Listen(ctx, l) }()
	t.Cleanup(func() { cancel(); <-ended })
	return agenttest.Server{Address: l.Addr().String(), Ended: ended}
}

// on is a world whose one device goes by the name the contract wants.
type on struct {
	*world.World
	device string
}

func (o on) State(ctx context.Context, _, bundle string) (world.AppState, error) {
	return o.World.State(ctx, o.device, bundle)
}
func (o on) Observe(ctx context.Context, _, bundle string, w world.Wait) (world.Observation, error) {
	return o.World.Observe(ctx, o.device, bundle, w)
}
func (o on) Tap(ctx context.Context, _ string, p world.Point) error {
	return o.World.Tap(ctx, o.device, p)
}
func (o on) LongPress(ctx context.Context, _ string, p world.Point, d time.Duration) error {
	return o.World.LongPress(ctx, o.device, p, d)
}
func (o on) Swipe(ctx context.Context, _ string, from, to world.Point, d time.Duration) error {
	return o.World.Swipe(ctx, o.device, from, to, d)
}
func (o on) DoubleTap(ctx context.Context, _ string, p world.Point) error {
	return o.World.DoubleTap(ctx, o.device, p)
}
func (o on) Drag(ctx context.Context, _ string, c world.Carry) error {
	return o.World.Drag(ctx, o.device, c)
}
func (o on) Pinch(ctx context.Context, _ string, p world.Point, scale float64, took time.Duration) error {
	return o.World.Pinch(ctx, o.device, p, scale, took)
}
func (o on) SetValue(ctx context.Context, _ string, p world.Point, value string) error {
	return o.World.SetValue(ctx, o.device, p, value)
}
func (o on) SelectAll(ctx context.Context, _ string) error { return o.World.SelectAll(ctx, o.device) }
func (o on) Rotate(ctx context.Context, _ string, to world.Orientation) error {
	return o.World.Rotate(ctx, o.device, to)
}
func (o on) Launch(ctx context.Context, _, bundle string, l world.LaunchOptions) (int, error) {
	return o.World.Launch(ctx, o.device, bundle, l)
}
func (o on) TypeText(ctx context.Context, _, text string) error {
	return o.World.TypeText(ctx, o.device, text)
}
