package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// Screen holds the findings of one look at a screen.
type Screen struct {
	App      string    `json:"app"`
	Title    string    `json:"screen"`
	Snapshot string    `json:"snapshot"`        // its id, as in snapshots and actions
	After    string    `json:"after,omitempty"` // the step that led to it; empty for the first screen
	Elements int       `json:"judged"`          // elements
	Score    int       `json:"score"`
	Findings []Finding `json:"findings"`

	all []Finding // includes findings of earlier looks, because the score counts all
}

// Journey audits one screen after the other, and knows an element again by its place. The zero value is ready.
type Journey struct {
	seen map[position]known
	told map[string]bool // fingerprints of the findings reported so far
}

// position is an element's place on a screen, independent of its name.
type position struct {
	app, title, kind string
	frame            ui.Rect
}

// known holds the earlier names of an element.
type known struct{ identifier, label string }

// Look audits a screen. Ref names elements for the caller; if it is nil, they get no refs.
func (j *Journey) Look(s *ui.Screen, ref func(*ui.Node) string) Screen {
	l := newLook(s, j)
	out := Screen{App: s.App, Title: s.Title(), Snapshot: s.Hash(), Findings: []Finding{}}
	judged := map[*ui.Node]bool{}
	for _, e := range l.judged() {
		judged[e.Node] = true
	}
	for _, r := range Rules() {
		out.Findings = append(out.Findings, r.judge(l)...)
	}
	for _, f := range out.Findings {
		judged[f.node] = true
	}
	l.fingerprint(out.Findings)
	for i := range out.Findings {
		if ref != nil {
			out.Findings[i].Ref = ref(out.Findings[i].node)
		}
	}
	out.Elements, out.all = len(judged), slices.Clone(out.Findings)
	out.rate()
	j.remember(l)
	return out
}

// rate computes the score out of 100: each element has an equal share; its worst finding removes all of it (error), half (warning) or a
// tenth (note). Findings in the baseline remove nothing.
func (s *Screen) rate() {
	worst := map[*ui.Node]float64{}
	for _, f := range s.all {
		if f.State != Known {
			worst[f.node] = max(worst[f.node], f.Severity.cost())
		}
	}
	lost := 0.0
	for _, cost := range worst {
		lost += cost
	}
	s.Score = 100
	if s.Elements > 0 {
		s.Score = int(math.Floor(100*(1-lost/float64(s.Elements)) + 1e-9))
	}
}

// inRow reports whether the element lies in a list row, where lists may show another element later.
func (e *element) inRow() bool { return e.row != nil || e.scrolled }

func (l *look) position(e *element) position {
	return position{l.screen.App, l.title, e.Type, e.Frame}
}

// earlier is the element at the same position on an earlier look.
func (j *Journey) earlier(l *look, e *element) (known, bool) {
	if j == nil || e.inRow() {
		return known{}, false
	}
	k, was := j.seen[l.position(e)]
	return k, was
}

func (j *Journey) remember(l *look) {
	if j.seen == nil {
		j.seen = map[position]known{}
	}
	for _, e := range l.judged() {
		if !e.inRow() {
			j.seen[l.position(e)] = known{e.Identifier, e.Label}
		}
	}
}

// Once removes findings from a screen that an earlier look of the journey reported. Its score stays.
func (j *Journey) Once(s *Screen) {
	if j.told == nil {
		j.told = map[string]bool{}
	}
	s.Findings = slices.DeleteFunc(s.Findings, func(f Finding) bool {
		was := j.told[f.Fingerprint]
		j.told[f.Fingerprint] = true
		return was
	})
}

// fingerprint names a finding by its rule, its screen and its element, without numbers and places, because those change from day to day.
// Elements that share all of these are counted.
func (l *look) fingerprint(findings []Finding) {
	count := map[string]int{}
	for i, f := range findings {
		name := "id:" + f.Identifier
		if f.Identifier == "" {
			name = "name:" + general(f.node.Name()) + "|in:" + l.around(f.node)
		} else if f.Rule == "changing-identifier" {
			name = "id:" + general(keyless(f.Identifier))
		}
		screen := l.title
		if e := l.byNode[f.node]; e != nil && l.part(e) != l.name {
			screen = l.part(e) // the tab bar is the same on every screen
		}
		text := strings.Join([]string{f.Rule, l.screen.App, screen, f.Type, name}, "\x00")
		count[text]++
		if n := count[text]; n > 1 {
			text += fmt.Sprintf("\x00%d", n)
		}
		sum := sha256.Sum256([]byte(text))
		findings[i].Fingerprint = hex.EncodeToString(sum[:12])
	}
}

// around is the nearest container with a name.
func (l *look) around(n *ui.Node) string {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if name := cmp.Or(p.Identifier, p.Label); name != "" && p.Type != "Application" && p.Type != "Window" {
			return p.Type + ":" + general(name)
		}
	}
	return ""
}
