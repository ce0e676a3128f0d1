package agent

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// pulsed runs a test in a bubble, with a client of version 3 and the faults after its hello.
func pulsed(t *testing.T, test func(t *testing.T, a *Agent, c *agentwire.Client), faults ...flaw.Fault) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for i := range faults {
			if faults[i].Name == flaw.AgentHang { // a hello is an occasion of this one
				faults[i].After++
			}
		}
		a := New(troubled(t, newStage(), faults...))
		near, far := net.Pipe()
		c, served := agentwire.NewClient(near), make(chan error, 1)
		go func() { served <- a.Serve(t.Context(), far) }()
		if _, err := c.Hello(t.Context(), "", "test"); err != nil {
			t.Fatal(err)
		}
		test(t, a, c)
		c.Close()
		a.Kill()
		<-served
	})
}

// A request that takes long is answered, however long: the pulses keep the client waiting.
func TestStalledRequestIsAnswered(t *testing.T) {
	pulsed(t, func(t *testing.T, _ *Agent, c *agentwire.Client) {
		start := time.Now()
		ask[*agentwire.TargetInfo](t, c, &agentwire.GetTargetInfo{})
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("it took %s", took)
		}
		ok(t, c, &agentwire.Heartbeat{})
	}, flaw.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "40000"}})
}

func TestStuckAgentReportsTheTimeInPulses(t *testing.T) {
	pulsed(t, func(t *testing.T, a *Agent, c *agentwire.Client) {
		start := time.Now()
		_, err := c.Do(t.Context(), &agentwire.GetTargetInfo{})
		hung, is := errors.AsType[*agentwire.HungError](err)
		if !is || hung.During != (&agentwire.GetTargetInfo{}).Opcode() || hung.Stuck != 41*time.Second || time.Since(start) != 4*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		time.Sleep(5 * time.Second) // it stays stuck, though its client has left
		if a.main.TryLock() {
			t.Error("the main thread answers again")
		}
	}, flaw.Fault{Name: flaw.AgentStuck, Set: map[string]string{"stuck_ms": "37000"}})
}

func TestHungAgentSendsNoPulses(t *testing.T) {
	pulsed(t, func(t *testing.T, _ *Agent, c *agentwire.Client) {
		start := time.Now()
		_, err := c.Do(t.Context(), &agentwire.Heartbeat{})
		lost, is := errors.AsType[*agentwire.SendError](err)
		if !is || !lost.AgentGone() || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != agentwire.Silence {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	}, flaw.Fault{Name: flaw.AgentHang})
}

// A pulse tells the request it belongs to, and none comes after the answer.
func TestPulsesBelongToTheirRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := troubled(t, newStage(), flaw.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "2500"}})
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- New(o).Serve(t.Context(), far) }()
		conn := agentwire.NewConn(near)
		send := func(id uint32, req agentwire.Request) {
			t.Helper()
			if err := conn.WriteRequest(id, req); err != nil {
				t.Fatal(err)
			}
		}
		read := func() agentwire.Reply {
			t.Helper()
			reply, err := conn.ReadResponse()
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
		send(0, &agentwire.Hello{Version: 3})
		read()
		conn.SetVersion(3)
		send(7, &agentwire.GetTargetInfo{})
		for range 2 {
			reply := read()
			pulse, is := reply.Response.(*agentwire.Pulse)
			if !reply.Heartbeat || reply.ID != 7 || !is || *pulse != (agentwire.Pulse{During: 0x14}) {
				t.Errorf("a pulse: %+v", reply)
			}
		}
		if reply := read(); reply.Heartbeat || reply.ID != 7 {
			t.Errorf("the answer: %+v", reply)
		}
		time.Sleep(10 * time.Second) // what would be written now, the next read would see
		send(8, &agentwire.Heartbeat{})
		if reply := read(); reply.Heartbeat || reply.ID != 8 {
			t.Errorf("the next answer: %+v", reply)
		}
		near.Close()
		<-served
	})
}

// A wait does not outlive the client that asked for it, or the next one would wait too.
func TestWaitEndsWhenItsClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(newStage())
		o.Clock = world.RealClock() // that of the bubble
		a := New(o)
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- a.Serve(t.Context(), far) }()
		first := agentwire.NewClient(near)
		if _, err := first.Hello(t.Context(), "", "test"); err != nil {
			t.Fatal(err)
		}
		ok(t, first, &agentwire.SetTarget{Bundle: shop})
		go func() {
			time.Sleep(3500 * time.Millisecond)
			first.Close()
		}()
		start := time.Now()
		if _, err := first.Do(t.Context(), &agentwire.TapElement{Selector: "nothing", TimeoutMS: new(uint64(3_600_000))}); err == nil {
			t.Error("a tap on nothing went well")
		}
		if err := <-served; err != nil || time.Since(start) > 5*time.Second {
			t.Errorf("served for %s, %v", time.Since(start), err)
		}
	})
}
