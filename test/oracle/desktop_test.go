package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/test/desktoptest"
	"ios-agent/test/house"
	"ios-agent/test/soak"
)

// TestTheTruthOnTheDesktop takes walks over two desktop apps: windows in memory, whose own state the answers are compared with.
func TestTheTruthOnTheDesktop(t *testing.T) {
	walks(t, soak.Share(2, shareOfDesktop), onTheDesktop)
}

func onTheDesktop(t *testing.T, seed uint64) (history []string) {
	return way{
		seed: seed, steps: deskSteps(seed), name: func(s step) string { return fmt.Sprintf("{%q, %d}", deskActs()[s.act].name, s.choice) },
		take: func(t testing.TB, steps []step) taken {
			d := openDesk(t, seed)
			for i, s := range steps {
				d.take(i, s)
			}
			d.shut()
			return taken{d.history, d.lies}
		},
	}.truly(t)
}

// stepsOnTheDesktop is how many steps a walk takes.
const stepsOnTheDesktop = 25

func deskSteps(seed uint64) []step {
	return draw(rand.New(rand.NewPCG(seed, 4)), stepsOnTheDesktop, deskActs(), func(a deskAct) int { return a.weight })
}

// desk is two desktop apps and a session that drives them.
type desk struct {
	*doorway
	door    door
	apps    []*desktoptest.App
	pids    []int
	ids     []string
	app     int                   // the one that is driven
	shown   []map[string]*element // by app: what each ref was when it was shown
	latest  [][]string            // by app: the refs of the last look
	seen    []*standingWindows    // by app: what the session was shown last; nil: nobody knows
	history []string
	lies    []told
}

const deskSession = "ann"

func openDesk(t testing.TB, seed uint64) *desk {
	t.Helper()
	windows := desktoptest.New()
	d := &desk{
		doorway: &doorway{House: house.New(t, house.Options{Desktop: windows, Windows: true}), t: t}, door: doors()[seed%uint64(len(doors()))],
		shown: []map[string]*element{{}, {}}, latest: make([][]string, 2), seen: make([]*standingWindows, 2),
	}
	for range 2 {
		pid := sleeper(t)
		d.apps, d.pids, d.ids = append(d.apps, windows.Begin(pid)), append(d.pids, pid), append(d.ids, fmt.Sprintf("pid:%d", pid))
		d.Must(deskSession, "desktop_debug_attach", in{"pid": pid})
	}
	return d
}

// sleeper is a process that waits for its end.
func sleeper(t testing.TB) (pid int) {
	t.Helper()
	runner, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := runner.Start(t.Context(), host.Cmd{Name: "sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(t.Context()); err != nil && t.Context().Err() == nil {
			t.Errorf("ending process %d: %v", p.PID, err)
		}
	})
	return p.PID
}

// standingWindows is what an app says of itself.
type standingWindows struct {
	lines  []line
	beyond []line   // the edge of their window, where nobody sees them; a look tells of them
	did    []string // what reached it
	modal  string   // the dialog that bars the rest; empty: none
}

// now asks an app.
func (d *desk) now(app int) *standingWindows {
	d.t.Helper()
	tree, err := d.apps[app].Look(d.t.Context(), desktop.Limits{})
	if err != nil {
		d.t.Fatal(err)
	}
	s := &standingWindows{did: d.apps[app].Did()}
	for _, w := range tree.Windows {
		if w.Modal {
			s.modal = w.Title
		}
		w.Walk(func(n *desktop.Node) bool {
			l := line{kind: n.Role, id: n.Identifier, label: n.Title, disabled: !n.Enabled, focused: n.Focused}
			if n.Value != nil {
				l.value = *n.Value
			}
			if n.Bounds != nil {
				l.frame.X, l.frame.Y, l.frame.W, l.frame.H = n.Bounds.X, n.Bounds.Y, n.Bounds.W, n.Bounds.H
			}
			if n.Bounds != nil && w.Bounds != nil && n.Bounds.Intersect(*w.Bounds).Empty() {
				s.beyond = append(s.beyond, l)
				return true
			}
			s.lines = append(s.lines, l)
			return true
		})
	}
	return s
}

// worked is a call on the desktop and what became of the apps.
type worked struct {
	name          string
	input         in
	answer        op.Envelope
	before, after *standingWindows
	did           []string // what reached the app that is meant
	others        []string // what reached the other one
}

// changes are what the app shows differently.
func (w worked) changes() []string { return differences(w.before.lines, w.after.lines) }

func (d *desk) take(number int, s step) {
	d.t.Helper()
	c := &deskChoice{desk: d, luck: choice{n: s.choice}}
	act := deskActs()[s.act]
	if act.aims && len(d.latest[d.app]) == 0 {
		act = deskActs()[0]
	}
	w := d.observe(c, act)
	if d.history = append(d.history, d.tell(number, act.name+" "+c.said, w)); w.name == "" {
		return
	}
	for _, check := range deskChecks() {
		if text := check.find(d, w); text != "" {
			d.lies = append(d.lies, told{check.class, fmt.Sprintf("step %d, %s: %s\nanswer: %s\nthe app: %q\n%s", number, check.class, text,
				w.answer.Text(), w.did, strings.Join(w.changes(), "\n"))})
		}
	}
	d.learn(w)
}

func (d *desk) observe(c *deskChoice, act deskAct) (w worked) {
	d.t.Helper()
	if w.name, w.input = act.do(c); w.name == "" {
		return w
	}
	other := 1 - d.app
	before := d.now(other)
	w.before = d.now(d.app)
	w.input["udid"] = d.ids[d.app]
	w.answer = d.door.call(d.doorway, deskSession, w.name, w.input)
	w.after = d.now(d.app)
	w.did, w.others = w.after.did[len(w.before.did):], d.now(other).did[len(before.did):]
	return w
}

func (d *desk) tell(number int, what string, w worked) string {
	text := fmt.Sprintf("%2d app %d: %s", number, d.app, strings.TrimSpace(what))
	if w.name != "" {
		raw, _ := json.Marshal(w.input)
		said, _, _ := strings.Cut(w.answer.Text(), "\n")
		text += fmt.Sprintf(": %s by %s %s\n     → %s\n     app: %q", w.name, d.door.name, raw, said, w.did)
	}
	return text
}

// learn remembers what a client is told.
func (d *desk) learn(w worked) {
	if w.answer.Error != nil && w.answer.Result == nil {
		if len(w.answer.Meta.Notices) > 0 {
			d.seen[d.app] = nil // what it told counts as shown
		}
		return
	}
	d.seen[d.app] = w.after
	if s := w.snapshot(); s != nil {
		d.latest[d.app] = nil
		for _, e := range s.Elements {
			if e.Label != "" {
				d.shown[d.app][e.Ref], d.latest[d.app] = e, append(d.latest[d.app], e.Ref)
			}
		}
	}
}

func (w worked) snapshot() *snapshot {
	var s snapshot
	if w.name != "snapshot" || w.answer.Error != nil || json.Unmarshal(w.answer.Result, &s) != nil {
		return nil
	}
	return &s
}

func (w worked) action() *action {
	var a action
	if w.name == "snapshot" || w.name == "wait" || w.answer.Result == nil || json.Unmarshal(w.answer.Result, &a) != nil || a.Outcome == "" {
		return nil
	}
	return &a
}
