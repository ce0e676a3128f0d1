package house_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// clock is a wall clock that can be set: no reading of it knows how much time has passed since another.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Round(0).Add(time.Duration(c.ahead.Load())) }
func (c *clock) jump(by time.Duration)  { c.ahead.Add(int64(by)) }
func (c *clock) today(t time.Time) bool { return t.Sub(c.now()).Abs() < 40*time.Minute }

// entry is what the pool's list says of a claimed device.
type entry struct {
	UDID      string
	Holder    string    `json:"claimed_by"`
	ExpiresAt time.Time `json:"expires_at"`
}

func claims(h *house.House) map[string]entry {
	out := map[string]entry{}
	e := h.Must("ada", "list_device_pool", map[string]string{"claimed": "claimed"})
	for _, d := range house.Result[struct{ Devices []entry }](h, e).Devices {
		out[d.UDID] = d
	}
	return out
}

// TestLeaseTimesSurviveClockJumps by a day, either way and back again, under a live product and before the next one starts. A lease is
// never kept for longer than its time, a new one lasts as long as ever, and what happened is told in the order in which it happened.
func TestLeaseTimesSurviveClockJumps(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, restart := range map[string]bool{"live": false, "restarted": true} {
		for _, by := range []time.Duration{day, -day} {
			c := &clock{}
			h := house.New(t, house.Options{Now: c.now})
			jump := func(by time.Duration) {
				if c.jump(by); restart {
					h.Restart()
				}
			}
			mine := h.Boot("ada", "")
			h.Must("ada", "claim_device", map[string]string{"udid": mine})
			first := h.Must("ada", "press_button", map[string]string{"button": "home"}).Meta.Step
			jump(by)
			if l, held := claims(h)[mine]; held && !c.today(l.ExpiresAt) {
				t.Errorf("%s, %s: it is claimed until %s, and now is %s", name, by, l.ExpiresAt, c.now())
			}
			h.Must("ada", "claim_device", map[string]string{"udid": mine})
			if l := claims(h)[mine]; l.Holder != "ada" || !c.today(l.ExpiresAt) || l.ExpiresAt.Before(c.now().Add(29*time.Minute)) {
				t.Errorf("%s, %s: a new claim lasts until %s, and now is %s", name, by, l.ExpiresAt, c.now())
			}
			if e := h.Call("bob", "press_button", map[string]string{"button": "home", "udid": mine}); e.Error == nil ||
				e.Error.Code != fault.DeviceClaimed {
				t.Errorf("%s, %s: bob drives ada's device: %s", name, by, e.Text())
			}
			h.Must("ada", "claim_device", map[string]string{"udid": mine})
			jump(-by)
			if l, held := claims(h)[mine]; held && !c.today(l.ExpiresAt) {
				t.Errorf("%s, %s and back: it is claimed until %s, and now is %s", name, by, l.ExpiresAt, c.now())
			}
			c.jump(40 * time.Minute)
			h.Must("bob", "claim_device", map[string]string{"udid": mine})
			last := h.Must("bob", "press_button", map[string]string{"button": "home", "udid": mine}).Meta.Step
			if !restart && number(t, last) <= number(t, first) {
				t.Errorf("%s, %s: the step %s came after %s", name, by, last, first)
			}
			inOrder(t, h)
		}
	}
}

// TestTimeoutIgnoresClockChange: a clock that is set back a day lets nobody wait for a day.
func TestTimeoutIgnoresClockChange(t *testing.T) {
	t.Parallel()
	c := &clock{}
	h := house.New(t, house.Options{Now: c.now})
	mine := h.Boot("ada", "")
	h.Must("ada", "claim_device", map[string]string{"udid": mine})
	answer := make(chan op.Envelope)
	go func() {
		answer <- h.Call("bob", "claim_device", map[string]any{"udid": mine, "wait_if_busy": true, "wait_timeout": 1})
	}()
	c.jump(-24 * time.Hour)
	select {
	case e := <-answer:
		if e.Error == nil || e.Error.Code != fault.WaitTimeout {
			t.Error(e.Text())
		}
	case <-time.After(time.Minute):
		t.Error("a second is over, and bob still waits")
	}
}

// number is that of a step.
func number(t *testing.T, step string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(step, "s"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// inOrder wants a log whose epochs never grow on the way to the past, and in which each holder took it from the one before.
func inOrder(t *testing.T, h *house.House) {
	t.Helper()
	events := house.Result[struct {
		Events []struct {
			What  string
			Epoch uint64
		}
	}](h, h.Must("ada", "device_claim_log", nil)).Events
	if len(events) < 2 || events[0].What != "claimed" {
		t.Errorf("the log is %+v", events)
	}
	for i := 1; i < len(events); i++ {
		if events[i].Epoch > events[i-1].Epoch {
			t.Errorf("%+v was told before %+v", events[i], events[i-1])
		}
	}
}
