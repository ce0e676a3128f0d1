package ui

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault"
)

// Refs are the short names (@e12) a session's agents call elements by. A ref is an identity, not a position: it is
// never given to another element, survives redrawing, and fails closed when its element is gone or no longer certain.
// Refs are not safe for concurrent use; whoever holds the session's lock holds them.
type Refs struct {
	last    int
	entries map[int]*entry
	byKey   map[refKey]int
}

type refKey struct {
	device, app string
	identity    identity
	twin        int // 0 when the identity is unique on its screen, else 1, 2, … in document order
}

type entry struct {
	refKey
	node Node   // as last seen; for messages and ranking
	hash string // of the screen; a twin is only certain while the screen is the very same
}

// refPattern matches a ref in either spelling, @e12 or e12.
var refPattern = regexp.MustCompile(`^@?e([0-9]{1,9})$`)

// Name gives the node's ref on this screen, and makes one when it has none. Calling it for every node an agent gets to
// see is what makes those nodes addressable.
func (r *Refs) Name(device string, s *Screen, n *Node) string {
	if r.entries == nil {
		r.entries, r.byKey = map[int]*entry{}, map[refKey]int{}
	}
	key := refKey{device, s.App, n.identity, twinOf(s, n)}
	number, known := r.byKey[key]
	if known && key.twin > 0 && r.entries[number].hash != s.hash {
		// Twins are told apart by order alone, and the screen has changed: nobody can say which is which now.
		delete(r.entries, number)
		known = false
	}
	if !known {
		r.last++
		number = r.last
		r.byKey[key] = number
		r.entries[number] = &entry{refKey: key}
	}
	e := r.entries[number]
	e.node, e.hash = *n, s.hash
	e.node.Children, e.node.parent, e.node.covered = nil, nil, nil
	return "e" + strconv.Itoa(number)
}

func twinOf(s *Screen, n *Node) int {
	twins := s.byIdentity[n.identity]
	if len(twins) == 1 {
		return 0
	}
	return slices.Index(twins, n) + 1
}

// Resolve finds the element a ref stands for on this screen. It answers only when there is exactly one candidate;
// everything else is a fault with ranked candidates, because acting on the wrong element is worse than not acting.
func (r *Refs) Resolve(ref, device string, s *Screen) (*Node, error) {
	m := refPattern.FindStringSubmatch(ref)
	if m == nil {
		return nil, fault.New(fault.InvalidInput, "%q is not a ref such as @e12", ref).
			WithHint("to name an element by its accessibility identifier use --identifier")
	}
	number, _ := strconv.Atoi(m[1])
	e, ok := r.entries[number]
	switch {
	case !ok && number > r.last:
		return nil, r.expired(number, s, device, nil, "was never given out in this session", "unknown")
	case !ok:
		return nil, r.expired(number, s, device, nil, "is no longer certain: the screen changed and its element had twins", "ambiguous")
	case e.device != device:
		return nil, r.expired(number, s, device, nil, "belongs to another device", "foreign")
	case e.app != s.App:
		return nil, r.expired(number, s, device, e, fmt.Sprintf("belongs to %s, but %s is in front", e.app, s.App), "foreign")
	}
	claims := s.claims(e.identity)
	if e.twin > 0 {
		if s.hash != e.hash || e.twin > len(claims) {
			return nil, r.expired(number, s, device, e, "is no longer certain: the screen changed and its element has twins", "ambiguous")
		}
		return claims[e.twin-1], nil
	}
	switch len(claims) {
	case 1:
		return claims[0], nil
	case 0:
		return nil, r.expired(number, s, device, e, "is gone from the screen", "gone")
	}
	return nil, r.expired(number, s, device, e, fmt.Sprintf("now fits %d elements", len(claims)), "ambiguous")
}

// Candidate is an element offered in place of one that could not be resolved.
type Candidate struct {
	Ref        string `json:"ref"`
	Type       string `json:"type"`
	Label      string `json:"label,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Centre     Point  `json:"centre"`
}

const mostCandidates = 5

func (r *Refs) expired(number int, s *Screen, device string, e *entry, why, reason string) error {
	name := fmt.Sprintf("@e%d", number)
	was := ""
	if e != nil {
		was = " (" + e.node.Describe() + ")"
	}
	candidates := r.Candidates(device, s, s.rank(e))
	f := fault.New(fault.RefExpired, "ref %s%s %s", name, was, why).
		With("ref", name).With("reason", reason).With("candidates", candidates).WithDispatch(fault.NotDispatched)
	if len(candidates) > 0 {
		return f.WithHint("nothing was sent; on the screen now: %s", Offer(candidates))
	}
	return f
}

// Candidates names the first few nodes for a fault's details.
func (r *Refs) Candidates(device string, s *Screen, nodes []*Node) []Candidate {
	out := []Candidate{}
	for _, n := range nodes[:min(mostCandidates, len(nodes))] {
		out = append(out, Candidate{"@" + r.Name(device, s, n), n.Type, n.Label, n.Identifier, n.Frame.Centre()})
	}
	return out
}

// Offer writes candidates on one line.
func Offer(candidates []Candidate) string {
	parts := make([]string, len(candidates))
	for i, c := range candidates {
		name := c.Label
		if name == "" {
			name = c.Identifier
		}
		parts[i] = c.Ref + " " + roleOf(c.Type) + " " + Quote(name)
	}
	return strings.Join(parts, ", ")
}

// rank orders what could be meant instead: same identifier, same type and label, same type nearest by. Geometry and
// order rank candidates; they never choose one.
func (s *Screen) rank(e *entry) []*Node {
	nodes := s.find(func(n *Node) bool { return s.worthShowing(n) && kinds[n.Type].interactive })
	if e == nil {
		return nodes
	}
	score := func(n *Node) float64 {
		points := math.Hypot(n.Frame.X-e.node.Frame.X, n.Frame.Y-e.node.Frame.Y) / 1e4
		if n.Identifier == "" || n.Identifier != e.node.Identifier {
			points += 4
		}
		if n.Label != e.node.Label {
			points += 2
		}
		if n.Type != e.node.Type {
			points++
		}
		return points
	}
	slices.SortStableFunc(nodes, func(a, b *Node) int { return cmp.Compare(score(a), score(b)) })
	return nodes
}
