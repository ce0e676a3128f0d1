package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// troubled are options with faults planned.
func troubled(t *testing.T, s *stage, faults ...flaw.Fault) Options {
	t.Helper()
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0))})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if err := w.AddFault(f); err != nil {
			t.Fatal(err)
		}
	}
	o := options(s)
	o.TakeFault = func(name string) (flaw.Hit, bool) { return w.TakeFault("", name) }
	return o
}

func TestSpoiltLookAnswerBreaksStream(t *testing.T) {
	for name, wrong := range map[string]error{
		flaw.AgentHalfFrame: io.ErrUnexpectedEOF, flaw.AgentGarbage: nil, flaw.AgentOversizedFrame: agentwire.ErrFrameTooLarge,
	} {
		t.Run(name, func(t *testing.T) {
			a := New(troubled(t, newStage(), flaw.Fault{Name: name}))
			client, _ := connect(t, a)
			ok(t, client, &agentwire.SetTarget{Bundle: shop}) // only looks are spoilt
			_, err := client.Do(t.Context(), &agentwire.Look{})
			lost, is := errors.AsType[*agentwire.SendError](err)
			if !is || !lost.Sent || wrong != nil && !errors.Is(err, wrong) {
				t.Errorf("the look ended with %v", err)
			}
			again, _ := connect(t, a)
			ask[*agentwire.Sight](t, again, &agentwire.Look{})
		})
	}
}

func TestAgentCrashesAfterAnswerWhenArmed(t *testing.T) {
	s := newStage()
	crashed := 0
	o := troubled(t, s, flaw.Fault{Name: flaw.AgentCrashAfterAnswer, After: 1})
	o.Crash = func() { crashed++ }
	c, served := connect(t, New(o))
	ok(t, c, &agentwire.TapCoord{X: 1})
	ok(t, c, &agentwire.TapCoord{X: 2})
	if err := <-served; !errors.Is(err, ErrCrashed) || crashed != 1 {
		t.Errorf("Serve returned %v after %d crashes", err, crashed)
	}
	if _, err := c.Do(t.Context(), &agentwire.TapCoord{X: 3}); err == nil {
		t.Error("a dead agent answered")
	}
	wantActs(t, s, "tap {1 0}", "tap {2 0}")
}

func TestAgentCrashesBeforeActWhenArmed(t *testing.T) {
	s := newStage()
	c, served := connect(t, New(troubled(t, s, flaw.Fault{Name: flaw.AgentCrashBefore})))
	if _, err := c.Do(t.Context(), &agentwire.TapCoord{X: 1}); err == nil {
		t.Error("a dead agent answered")
	}
	if err := <-served; !errors.Is(err, ErrCrashed) {
		t.Errorf("Serve returned %v", err)
	}
	wantActs(t, s)
}

func TestHungAgentStopsAnsweringUntilKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(troubled(t, newStage(), flaw.Fault{Name: flaw.AgentHang, After: 1}))
		serve := func() (*agentwire.Client, chan error) {
			near, far := net.Pipe()
			done := make(chan error, 1)
			go func() { done <- a.Serve(t.Context(), far) }()
			return agentwire.NewClient(near), done
		}
		silent := func(c *agentwire.Client) {
			start := time.Now()
			if _, err := c.Do(t.Context(), &agentwire.Heartbeat{}); err == nil || time.Since(start) < 20*time.Second {
				t.Errorf("after %s: %v", time.Since(start), err)
			}
		}
		first, served := serve()
		defer first.Close()
		ok(t, first, &agentwire.Heartbeat{})
		silent(first)
		a.Kill()
		if err := <-served; !errors.Is(err, ErrCrashed) {
			t.Errorf("Serve returned %v", err)
		}
		second, served := serve()
		defer second.Close()
		if _, err := second.Do(t.Context(), &agentwire.Heartbeat{}); err == nil {
			t.Error("a killed agent answered")
		}
		<-served
	})
}

func TestSlowAgentDelaysOneAnswer(t *testing.T) {
	s := newStage()
	o := troubled(t, s, flaw.Fault{Name: flaw.AgentSlow, Set: map[string]string{"ms": "700"}})
	c, _ := connect(t, New(o))
	for _, want := range []time.Duration{700 * time.Millisecond, 0} {
		start := o.Clock.Now()
		ask[*agentwire.TargetInfo](t, c, &agentwire.GetTargetInfo{})
		if took := o.Clock.Now().Sub(start); took != want {
			t.Errorf("the answer took %s, want %s", took, want)
		}
	}
}

// idleStage notes how long it was watched before it was touched.
type idleStage struct {
	*stage
	watched []world.Wait
}

func (s *idleStage) Observe(ctx context.Context, device, bundle string, w world.Wait) (world.Observation, error) {
	s.watched = append(s.watched, w)
	return s.stage.Observe(ctx, device, bundle, w)
}

func TestAgentWaitsForIdleWhenArmed(t *testing.T) {
	s := &idleStage{stage: newStage()}
	o := troubled(t, s.stage, flaw.Fault{Name: flaw.AgentWaitsForIdle, Set: map[string]string{"seconds": "9"}})
	o.Screen = s
	c := open(t, o)
	ok(t, c, &agentwire.TapCoord{X: 1})
	ok(t, c, &agentwire.TapCoord{X: 2})
	if len(s.watched) != 1 || s.watched[0].Max != 9*time.Second {
		t.Errorf("it waited %v", s.watched)
	}
	wantActs(t, s.stage, "tap {1 0}", "tap {2 0}")
}

func TestFaultsChangeTheAgentsIdentity(t *testing.T) {
	hello := func(f ...flaw.Fault) agentwire.HelloInfo {
		t.Helper()
		o := troubled(t, newStage(), f...)
		o.Token = "secret"
		c, _ := connect(t, New(o))
		info, err := c.Hello(t.Context(), "secret", "test")
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if got := hello(); got.UDID != udid || got.Build != "b1" || got.Version != 3 {
		t.Errorf("by itself it is %+v", got)
	}
	if got := hello(flaw.Fault{Name: flaw.AgentWrongDevice}); got.UDID == udid || got.UDID == "" {
		t.Errorf("on another device it is %+v", got)
	}
	if got := hello(flaw.Fault{Name: flaw.AgentOldBuild}); got.Build == "b1" || got.Build == "" || got.UDID != udid {
		t.Errorf("of another build it is %+v", got)
	}
	one := flaw.Fault{Name: flaw.AgentOldBuild, Set: map[string]string{"protocol": "1"}} // it does not know how to greet
	if got := hello(one); got != (agentwire.HelloInfo{Version: 1}) {
		t.Errorf("of version 1 it is %+v", got)
	}
}

// An agent of version 1 has no tokens: it serves whoever connects.
func TestOldAgentServesVersion1WithoutToken(t *testing.T) {
	o := troubled(t, newStage(), flaw.Fault{Name: flaw.AgentOldBuild, Set: map[string]string{"protocol": "1"}})
	o.Token = "secret"
	c, _ := connect(t, New(o))
	if _, err := c.Hello(t.Context(), "secret", "test"); err != nil {
		t.Fatal(err)
	}
	if v := ask[*agentwire.Value](t, c, &agentwire.DeviceUDID{}); v.Text == nil || *v.Text != udid {
		t.Errorf("it is on %v", v.Text)
	}
}
