package agenttest

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/driver/agentwire"
)

// still lets any animation end.
func still() agentwire.Wait { return agentwire.Wait{StableMS: 200, MaxMS: 5000} }

// sight is what a look saw, and its trees.
type sight struct {
	*agentwire.Sight
	roots []agentwire.Element
}

// checked decodes a sight. Its digest is that of what it tells.
func (d *driver) checked(s *agentwire.Sight) sight {
	d.Helper()
	roots, err := s.Elements()
	if err != nil {
		d.Fatal(err)
	}
	if want := agentwire.Digest(s.Front, s.Cover, s.JSON); s.Digest != want {
		d.Errorf("the digest is %s, want %s", s.Digest, want)
	}
	return sight{s, roots}
}

func (d *driver) look(m agentwire.Look) sight {
	d.Helper()
	return d.checked(ask[*agentwire.Sight](d, &m))
}

// has reports whether an element with that identifier was seen.
func (s sight) has(identifier string) bool {
	there := false
	walk(s.roots, func(e *agentwire.Element, _ int) { there = there || e.Identifier == identifier })
	return there
}

// String is a sight without its tree.
func (s sight) String() string {
	short := *s.Sight
	short.JSON = ""
	return fmt.Sprintf("%+v", short)
}

// front: the target, otherwise the home screen, otherwise a candidate, otherwise SpringBoard; without candidates, no app.
func front(b *bench) {
	const gone, other = "com.example.gone", "com.example.other"
	d := b.driver()
	if s := d.look(agentwire.Look{Candidates: other}); s.Front != App || s.State != "running_foreground" || s.Cover != "" ||
		len(s.roots) != 1 || s.roots[0].Label != "Conformance" || !s.has("controls-tap-button") {
		b.Errorf("of the target: %s", s)
	}
	d.ok(&agentwire.SetTarget{Bundle: gone})
	if s := d.look(agentwire.Look{}); s.Front != "" || s.JSON != "[]" || s.State != "not_running" && s.State != "unknown" || s.Cover != "" {
		b.Errorf("without candidates: %s, tree %s", s, s.JSON)
	}
	if s := d.look(agentwire.Look{Candidates: other + "\n" + App}); s.Front != App || s.State != "running_foreground" ||
		!s.has("controls-tap-button") {
		b.Errorf("of a candidate: %s", s)
	}
	if s := d.look(agentwire.Look{Candidates: other}); s.Front != springboard || s.has("controls-tap-button") {
		b.Errorf("when no candidate is in front: %s", s)
	}
	for _, target := range []string{gone, App, springboard} {
		d.ok(&agentwire.Button{Name: "home"})
		d.ok(&agentwire.SetTarget{Bundle: target})
		if s := d.look(agentwire.Look{Wait: still()}); s.Front != springboard || s.State != "running_foreground" || s.Cover != "" ||
			len(s.roots) != 1 || s.has("controls-tap-button") {
			b.Errorf("of the home screen, with the target %s: %s", target, s)
		}
	}
	d.ok(&agentwire.TapByLabel{Label: "Conformance", TimeoutMS: soon()})
	d.ok(&agentwire.SetTarget{Bundle: App})
	if s := d.look(agentwire.Look{Wait: still()}); s.Front != App {
		b.Errorf("of the app again: %s", s)
	}
}

// cover: a system alert is the second root, with its process.
func cover(b *bench) {
	d := b.driver()
	d.asked("permissions-notifications")
	s := d.look(agentwire.Look{Wait: still()})
	if s.Front != App || s.Cover != springboard || len(s.roots) != 2 || s.roots[0].Label != "Conformance" {
		b.Fatalf("under an alert: %d roots, %s", len(s.roots), s)
	}
	found := map[string]int{}
	walk(s.roots[1:], func(e *agentwire.Element, _ int) { found[e.Type]++ })
	if found["Alert"] != 1 || found["Icon"] != 0 {
		b.Errorf("the second root has %v", found)
	}
	d.alert(agentwire.Alert{Do: agentwire.AcceptAlert})
	d.gone()
	if s := d.look(agentwire.Look{Wait: still()}); s.Cover != "" || len(s.roots) != 1 {
		b.Errorf("after the answer: %d roots, %s", len(s.roots), s)
	}
}

// lookWaits: a look waits until the screen is still, within its minimum and maximum time.
func lookWaits(b *bench) {
	d := b.driver()
	if s := d.look(agentwire.Look{}); s.Samples != 1 || s.Truncated != 0 {
		b.Errorf("one look: %s", s)
	}
	if s := d.look(agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 10_000}}); !s.Settled || s.Samples < 2 || s.WaitedMS < 200 {
		b.Errorf("a screen at rest: %s", s)
	}
	if s := d.look(agentwire.Look{Wait: agentwire.Wait{StableMS: 50, MinMS: 400, MaxMS: 10_000}}); !s.Settled || s.WaitedMS < 400 {
		b.Errorf("at least 400 ms: %s", s)
	}
	d.tab("Dynamic")
	d.tap("dynamic-start-counter")
	wait := agentwire.Wait{StableMS: 1500, MaxMS: 2500}
	if s := d.look(agentwire.Look{Wait: wait}); s.Settled || s.WaitedMS < 2500 || s.Samples < 3 {
		b.Errorf("a counter that counts: %s", s)
	}
}

// patience: a still screen that is the one not wanted is looked at for longer, and no other.
func patience(b *bench) {
	d := b.driver()
	d.tab("Dynamic")
	before := d.look(agentwire.Look{Wait: still()})
	if again := d.look(agentwire.Look{Wait: still()}); again.Digest != before.Digest {
		b.Fatalf("a screen at rest has two digests: %s, %s", before, again)
	}
	wait := agentwire.Wait{StableMS: 100, MaxMS: 1000, PatienceMS: 700}
	if s := d.look(agentwire.Look{Wait: wait, Unlike: before.Digest}); s.Digest != before.Digest || s.WaitedMS < 700 {
		b.Errorf("nothing changes: %s", s)
	}
	wait.PatienceMS = 20_000
	if s := d.look(agentwire.Look{Wait: wait, Unlike: "0123456789abcdef"}); s.Digest != before.Digest || s.WaitedMS >= 10_000 {
		b.Errorf("it is another screen already: %s", s)
	}
	if s := d.look(agentwire.Look{Wait: wait}); s.WaitedMS >= 10_000 {
		b.Errorf("any screen will do: %s", s)
	}
	d.tap("dynamic-show-delayed")
	s := d.look(agentwire.Look{Wait: wait, Unlike: before.Digest})
	if s.Digest == before.Digest || !s.has("dynamic-delayed-label") || !s.Settled || s.WaitedMS >= 10_000 {
		b.Errorf("what comes late: %s", s)
	}
}

// depth: an unnamed container of one child does not count, every other element does; elements that are left out are counted.
func depth(b *bench) {
	d := b.driver()
	d.ok(&agentwire.Button{Name: "home"})
	whole := d.look(agentwire.Look{Wait: still()})
	nodes := 0
	walk(whole.roots, func(*agentwire.Element, int) { nodes++ })
	level, wrappers := iconLevel(whole.roots, 0, 0)
	if level < 0 || wrappers == 0 || whole.Truncated != 0 {
		b.Fatalf("the home screen has no icon in a container: level %d, %d containers, %s", level, wrappers, whole)
	}
	enough := uint32(level + 1 - wrappers)
	for _, limit := range []uint32{enough - 1, enough} {
		s := d.look(agentwire.Look{Limits: agentwire.Limits{Depth: limit}})
		kept := 0
		walk(s.roots, func(*agentwire.Element, int) { kept++ })
		if there, _ := iconLevel(s.roots, 0, 0); (there >= 0) != (limit == enough) || kept+int(s.Truncated) < nodes {
			b.Errorf("to depth %d the icon is at level %d, %d kept of %d, %s", limit, there, kept, nodes, s)
		}
	}
	if s := d.look(agentwire.Look{Limits: agentwire.Limits{Nodes: 1}}); s.Truncated == 0 || len(s.roots) > 1 {
		b.Errorf("one node: %s", s)
	}
}

// iconLevel is the depth of the first icon, or -1, and the number of elements around it that do not count.
func iconLevel(elements []agentwire.Element, level, wrappers int) (int, int) {
	for _, e := range elements {
		if e.Type == "Icon" {
			return level, wrappers
		}
		around := wrappers
		unnamed := e.Identifier == "" && e.Label == "" && e.Value == ""
		if unnamed && len(e.Children) == 1 && slices.Contains([]string{"Other", "Group", "Window"}, e.Type) {
			around++
		}
		if l, w := iconLevel(e.Children, level+1, around); l >= 0 {
			return l, w
		}
	}
	return -1, 0
}

// pulses: while a request is worked on, the agent says every second that it is.
func pulses(b *bench) {
	conn := agentwire.NewConn(b.raw(b.open(Options{})))
	greet(b, conn)
	if _, err := exchange(conn, 1, &agentwire.SetTarget{Bundle: App}); err != nil {
		b.Fatal(err)
	}
	tap := &agentwire.TapElement{Selector: "nothing", TimeoutMS: new(uint64(3500))}
	reply, err := exchange(conn, 77, tap)
	beats := 0
	for ; err == nil && reply.Heartbeat; beats++ {
		if p, is := reply.Response.(*agentwire.Pulse); !is || reply.ID != 77 || p.During != tap.Opcode() || p.StuckMS > 5000 {
			b.Errorf("a pulse of request %d: %#v", reply.ID, reply.Response)
		}
		reply, err = conn.ReadResponse()
	}
	if f, is := reply.Response.(*agentwire.Fault); err != nil || !is || f.Code != agentwire.CodeNotFound || beats < 2 {
		b.Errorf("%d pulses, then %+v, %v", beats, reply, err)
	}
}

// names are the identifiers that were seen, for messages.
func (s sight) names() string {
	var all []string
	walk(s.roots, func(e *agentwire.Element, _ int) {
		if e.Identifier != "" {
			all = append(all, e.Identifier)
		}
	})
	return strings.Join(all, " ")
}
