// Package act performs one step on a device and reports its effect. A Step finds the target, waits until it holds still, sends the
// input, waits until the screen settles and compares the screens before and after. The caller holds the device's lane. A Report never
// claims more than the screen shows.
package act

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Step performs steps on one device for one session. The caller holds the device's lane.
type Step struct {
	Device  device.Device
	Session *session.Session
	Tell    func(string) // receives progress texts of slow work; may be nil
	Expect  bool         // a change is expected: the step waits for it until its timeout

	// Seen gets the screens on which the step looks for its target before its first input; may be nil.
	Seen func(*ui.Screen)

	before *ui.Screen // the screen before the input; nil before the first input
}

// How says how patiently a step is performed.
type How struct {
	Timeout time.Duration // maximum time for the target to appear, hold still and be reachable; 0 is DefaultTimeout
	NoWait  bool          // one attempt, without waiting for the target
	Scroll  bool          // bring the target into view first
	Blind   bool          // the app need not be running: the input goes to the device

	Settle *time.Duration // maximum time for the screen to become still; nil is the default
	React  *time.Duration // how long to look for a change after the input; nil is the default, or the timeout if a change is expected
}

// DefaultTimeout is how long a target may take to appear and hold still.
const DefaultTimeout = 5 * time.Second

func (h How) patience() time.Duration {
	switch {
	case h.NoWait:
		return 0
	case h.Timeout == 0:
		return DefaultTimeout
	}
	return h.Timeout
}

// reactionTime is how long an app may take to react when no change is expected. Effects of a server request take most of a second and
// slow apps take longer. A clock of seconds that an input starts shows its first change after one second.
const reactionTime = 1700 * time.Millisecond

// reaction is how long a change is looked for after an input.
func (s Step) reaction(how How) time.Duration {
	switch {
	case how.React != nil:
		return *how.React
	case !s.Expect:
		return reactionTime
	}
	return max(reactionTime, cmp.Or(how.Timeout, DefaultTimeout))
}

// Report is the effect of a step.
type Report struct {
	Target   *ui.Node // nil when the step has no target
	Ref      string   // ref of the target
	At       ui.Point // the point that was touched
	Method   string   // how the input was done: one of ui's ways to reach an element, or a way of the control
	Outcome  ui.Outcome
	Evidence []string
	Lines    []string      // the diff, for models
	Before   *ui.Screen    // the screen on which the target was found
	After    *ui.Screen    // the settled screen
	Lost     error         // why the outcome is unknown
	Note     string        // what a reader must know about the judgement; may be empty
	Doubt    string        // why the change may have another cause than the input
	Failed   error         // why the step failed although its effect is known; nil: it succeeded
	Ended    *Ended        // the app or window that the input ended without a crash; nil: none
	Return   ui.Outcome    // outcome of the return key after a text; empty: the step pressed none
	Waited   time.Duration // until the target was ready
	Took     time.Duration // the input and the settling
	Looked   time.Duration // how long the step looked for a change after the input, by the observer's clock

	finger bool // a finger touched the target
	rhythm
}

// aim is a target that is present, holds still and can be touched.
type aim struct {
	node *ui.Node // nil when the step has no target
	ref  string
	ui.Reach
	screen *ui.Screen
	sent   sent // the inputs that brought the target into view
}

// input sends something to the device. It may change the method and the point of the report.
type input func(ctx context.Context, a aim, r *Report) error

// perform runs a step. Once the input may have been sent, an error does not end the step: perform still reads the screen and reports an
// unknown outcome.
func (s Step) perform(ctx context.Context, how How, q ui.Query, send input) (Report, error) {
	began := time.Now()
	report, guard, err := s.attempt(ctx, how, q, send)
	for tries := 1; err != nil; tries++ {
		if _, refused := errors.AsType[*device.RefusedError](err); !refused || how.NoWait || tries == mostTries || ctx.Err() != nil {
			return Report{}, err
		}
		if fault.From(err).Dispatched != fault.NotDispatched {
			s.Seen = nil // later screens may show the effect of the input
		}
		report, guard, err = s.attempt(ctx, how, q, send)
	}
	if strings.HasPrefix(report.Method, "none:") { // no input was sent, so later changes are not its effect
		s.judge(&report, report.Before)
		return report, nil
	}
	ready := time.Now() // began plus waited would be wrong: waited may come from a clock that is ahead
	s.before = report.Before
	defer func() { s.Session.Refs(func(r *ui.Refs) { r.Stepped(s.Device.Info().UDID) }) }()
	after, err := s.effect(ctx, how, &report, guard)
	if err != nil {
		after, err = s.unseen(ctx, err, how, &report, began)
	} else {
		err = s.ended(ctx, &report, after, began)
	}
	if err != nil {
		return Report{}, err
	}
	report.Took = time.Since(ready)
	s.judge(&report, after)
	return report, nil
}

// mostTries is how often a target is looked for again because it had changed at the moment of the input.
const mostTries = 4

// attempt finds the target and sends the input. A device that guards its inputs checks the target again and refuses with a
// *device.RefusedError if it has changed.
func (s Step) attempt(ctx context.Context, how How, q ui.Query, send input) (Report, *device.Guard, error) {
	a, waited, err := s.await(ctx, how, q)
	if err != nil {
		return Report{}, nil, err
	}
	report := Report{Target: a.node, Ref: a.ref, At: a.At, Method: a.Method, Before: a.screen, Waited: waited}
	guard := s.guard(how, a)
	if device.Guards(s.Device) {
		ctx = device.WithGuard(ctx, guard)
	}
	err = send(ctx, a, &report)
	report.Method = doneBy(report.Method, guard.Method)
	if err != nil {
		if fault.From(err).Dispatched != fault.MaybeDispatched {
			return Report{}, nil, a.sent.fail(err)
		}
		report.Lost = err
	}
	return report, guard, nil
}

// doneBy is the method of a step. The device's word counts first; for a text, the device does not know whether the step read it back.
func doneBy(step, device string) string {
	rest, typed := strings.CutPrefix(step, "keyboard")
	switch {
	case device == "":
		return step
	case typed:
		return device + rest
	}
	return device
}

// Do sends an input without a target element, and looks for its effect as every step does. send gets the screen before the input; an
// error of send ends the step.
func (s Step) Do(
	ctx context.Context, how How, send func(ctx context.Context, before *ui.Screen) (method string, err error),
) (Report, error) {
	return s.perform(ctx, how, ui.Query{}, func(ctx context.Context, a aim, r *Report) (err error) {
		r.Method, err = send(ctx, a.screen)
		return err
	})
}

// guard says what the input is meant for. The device does not wait for a screen that never rests: it does not know which parts move.
func (s Step) guard(how How, a aim) *device.Guard {
	g := &device.Guard{App: a.screen.App, Aim: a.node.Native(), At: a.At, Depth: s.Session.Depth()} // a device does not know pages
	if how.Blind {
		g.App = ""
	}
	if g.Aim != nil {
		g.Rank = a.screen.Rank(g.Aim)
	}
	if !s.restless() {
		g.After = how.settled()
		g.After.Min, g.After.Patience = 0, s.reaction(how) // a visible change needs no more patience
	}
	return g
}

func (s Step) restless() (never bool) {
	s.Session.Refs(func(r *ui.Refs) { never = r.Restless(s.Device.Info().UDID) })
	return never
}

func (s Step) saw(screen *ui.Screen) {
	if s.Seen != nil && screen != nil && screen.Root != nil {
		s.Seen(screen)
	}
}

// Look observes the screen and lets render use the session's refs with it.
func (s Step) Look(ctx context.Context, render func(*ui.Screen, *ui.Refs)) error {
	screen, err := s.settle(ctx, still())
	if err != nil {
		return err
	}
	screen.Ended = s.leftBehind(ctx, screen)
	s.saw(screen)
	s.Session.Refs(func(r *ui.Refs) {
		render(screen, r)
		r.Remember(s.Device.Info().UDID, screen)
	})
	return nil
}

// observe looks at the app in front. It fails if that app is not running.
func (s Step) observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	eyes, err := device.As[device.Eyes](s.Device)
	if err != nil {
		return nil, err
	}
	if s.Tell != nil {
		ctx = device.WithProgress(ctx, s.Tell)
	}
	w.Depth = cmp.Or(w.Depth, s.Session.Depth())
	screen, err := eyes.Observe(ctx, w)
	if err == nil && screen.Root == nil {
		return nil, s.notRunning(screen)
	}
	if err == nil {
		screen = s.stamped(s.pages(ctx, screen))
	}
	return screen, err
}

func (s Step) notRunning(screen *ui.Screen) error {
	return fault.New(fault.AppNotRunning, "%s is not running on %s", screen.App, s.Device.Info().Name).
		WithHint("start it: %s", hint.Do("launch_app", "bundle_id", screen.App))
}

func (s Step) find(q ui.Query, screen *ui.Screen) (node *ui.Node, ref string, err error) {
	udid := s.Device.Info().UDID
	s.Session.Refs(func(r *ui.Refs) {
		if node, err = r.Find(q, udid, screen); err == nil {
			ref = r.Name(udid, screen, node)
		}
	})
	return node, ref, besidePages(err, screen)
}

func (s Step) reach(screen *ui.Screen, n *ui.Node) (reach ui.Reach, err error) {
	s.Session.Refs(func(r *ui.Refs) { reach, err = r.Reach(s.Device.Info().UDID, screen, n) })
	return reach, err
}

// notSent reports whether an error says that nothing reached the device.
func notSent(err error) bool {
	f, ok := fault.In(err)
	return ok && f.Dispatched == fault.NotDispatched
}
