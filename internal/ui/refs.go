package ui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/lazyregexp"
)

// Refs are the short names (@e12) that a session's agents use for elements. A ref is an identity, not a position: it never moves to another
// element, stays valid when the screen is redrawn, and is refused when its element is gone or uncertain. The least recently used refs are
// forgotten, so that a session can run for days. Refs are not safe for concurrent use; the session's lock guards them.
type Refs struct {
	last         int // the highest number given out; numbers are never given twice
	clock        int // counts uses
	entries      map[int]*entry
	byKey        map[refKey]int
	byIdentifier map[identifierKey]int
	byGiven      map[givenKey]int
	looks        looks
	steady       map[counter]bool // texts with numbers; false: they change by themselves
	restless     restless
	looked       map[string]time.Duration // at each device
	stepped      map[string]stamp         // when the last step on each device ended
	trees        *Trees                   // nil: the session shares no trees
	bytes        int                      // of the entries
	lapsed       []string                 // devices whose last shown screen was forgotten
}

// guessed bounds how far above the highest ref an invented number is reserved, so that it never becomes an element's ref.
const guessed = 1000

// mostRefs is the maximum number of refs that a session remembers: some dozens of screens.
const mostRefs = 8192

// place is shared by many refs, because there are few places.
type place struct{ device, app string }

type refKey struct {
	place    unique.Handle[place]
	identity identity
	twin     int32 // as in Node
}

type identifierKey struct {
	place      unique.Handle[place]
	identifier typedIdentifier
}

// givenKey identifies an element with a name from its device.
type givenKey struct{ device, name string }

type entry struct {
	refKey
	given  string // the name from its device; empty if it has a number
	was    sight
	unique bool   // its identifier was unique when last seen
	lost   bool   // it became ambiguous; that is final
	hash   string // of the screen; a twin is only certain on exactly the same screen
	used   int
}

// sight is an element as last seen, for messages and for ranking candidates.
type sight struct {
	typedIdentifier
	label, placeholder string
	x, y               float64
}

// describe names the element as last seen; empty for a missing entry.
func (e *entry) describe() string {
	if e == nil {
		return ""
	}
	return (&Node{Type: e.was.kind, Identifier: e.was.identifier, Label: e.was.label, Placeholder: e.was.placeholder}).Describe()
}

// size estimates the memory of the entry.
func (e *entry) size() int {
	return refBytes + len(e.given) + len(e.was.kind) + len(e.was.identifier) + len(e.was.label) + len(e.was.placeholder)
}

// After makes all numbers given from now on greater than number. Lower numbers are from an earlier process and count as expired.
func (r *Refs) After(number int) { r.last = max(r.last, number) }

// Highest is the highest number given out.
func (r *Refs) Highest() int { return r.last }

// refPattern matches a ref in either spelling, @e12 or e12; givenPattern matches a name from a device, @btn_a1b2 or btn_a1b2.
var (
	refPattern   = lazyregexp.New(`^@?e([0-9]{1,9})$`)
	givenPattern = lazyregexp.New(`^@?([a-z]{1,8}_[0-9a-f]{4}(?:_[0-9]{1,9})?)$`)
)

// Name returns the node's ref on this screen, and creates one if needed. Nodes become addressable by this call, so every node shown to an
// agent needs it.
func (r *Refs) Name(device string, s *Screen, n *Node) string {
	if r.entries == nil {
		r.entries, r.byKey, r.byIdentifier = map[int]*entry{}, map[refKey]int{}, map[identifierKey]int{}
		r.byGiven = map[givenKey]int{}
	}
	here := unique.Make(place{device, s.App})
	key, idKey := refKey{here, n.identity, n.twin}, identifierKey{here, n.typedIdentifier()}
	r.doubt(key, s.hash)
	alone := s.uniquelyIdentified(n)
	number, known := r.byKey[key]
	if n.Given != "" { // its label and place do not matter
		number, known = r.byGiven[givenKey{device, n.Given}]
	} else if !known {
		number, known = r.byIdentifier[idKey]
		known = known && alone
	}
	e := r.entries[number]
	if known {
		r.unlink(number, e)
		r.bytes -= e.size()
	} else {
		r.last++
		number, e = r.last, &entry{}
		r.entries[number] = e
	}
	r.clock++
	was := sight{n.typedIdentifier(), n.Label, n.Placeholder, n.Frame.X, n.Frame.Y}
	e.refKey, e.was, e.unique, e.hash, e.used, e.given = key, was, alone, s.hash, r.clock, n.Given
	r.bytes += e.size()
	r.byKey[key] = number
	if n.Given != "" {
		r.byGiven[givenKey{device, n.Given}] = number
	}
	switch other, taken := r.byIdentifier[idKey]; {
	case alone:
		if taken && other != number {
			r.entries[other].unique = false
		}
		r.byIdentifier[idKey] = number
	case taken:
		r.entries[other].unique = false // several elements have the identifier now
		delete(r.byIdentifier, idKey)
	}
	if most := max(mostRefs, 2*len(s.nodes)); len(r.entries) > most+most/4 {
		r.forget(most)
	}
	return e.name(number)
}

// name is the element's ref or its name from the device.
func (e *entry) name(number int) string {
	if e.given != "" {
		return e.given
	}
	return "e" + strconv.Itoa(number)
}

// doubt marks refs as lost that could mean this element as well as their own. Twins differ only by their order: when their number or their
// screen changes, the refs are ambiguous.
func (r *Refs) doubt(key refKey, hash string) {
	other := key
	if key.twin > 0 {
		other.twin = 0
		r.lose(r.byKey[other])
		if number, ok := r.byKey[key]; ok && r.entries[number].hash != hash {
			r.lose(number)
		}
		return
	}
	for other.twin = 1; r.byKey[other] != 0; other.twin++ {
		r.lose(r.byKey[other])
	}
}

func (r *Refs) lose(number int) {
	if e := r.entries[number]; e != nil {
		e.lost = true
		r.unlink(number, e)
	}
}

// unlink removes the entry from the indexes.
func (r *Refs) unlink(number int, e *entry) {
	if r.byKey[e.refKey] == number {
		delete(r.byKey, e.refKey)
	}
	idKey := identifierKey{e.place, e.was.typedIdentifier}
	if r.byIdentifier[idKey] == number {
		delete(r.byIdentifier, idKey)
	}
}

// forget drops all but the most recently used refs.
func (r *Refs) forget(keep int) {
	numbers := slices.Collect(maps.Keys(r.entries))
	slices.SortFunc(numbers, func(a, b int) int { return r.entries[b].used - r.entries[a].used })
	for _, number := range numbers[keep:] {
		r.remove(number)
	}
}

// remove drops one ref.
func (r *Refs) remove(number int) {
	e := r.entries[number]
	r.unlink(number, e)
	if given := (givenKey{e.place.Value().device, e.given}); r.byGiven[given] == number {
		delete(r.byGiven, given)
	}
	r.bytes -= e.size()
	delete(r.entries, number)
}

// Resolve finds the element of a ref on this screen. It succeeds only with exactly one candidate; otherwise it returns a fault with ranked
// candidates, because acting on the wrong element is worse than not acting.
func (r *Refs) Resolve(ref, device string, s *Screen) (*Node, error) {
	if m := givenPattern.FindStringSubmatch(ref); m != nil {
		return r.given(m[1], device, s)
	}
	m := refPattern.FindStringSubmatch(ref)
	if m == nil {
		return nil, fault.New(fault.InvalidInput, "%q is not a ref such as @e12", ref).
			WithHint("to name an element by its accessibility identifier use %s", hint.Field("identifier"))
	}
	number, _ := strconv.Atoi(m[1])
	e, ok := r.entries[number]
	ok = ok && e.given == "" // an element with a device name has no numbered ref
	no := func(was *entry, reason Reason, why string) error {
		return &ExpiredError{Ref: fmt.Sprintf("@e%d", number), Was: was.describe(), Reason: reason, Why: why,
			Candidates: r.Candidates(device, s, s.rank(was))}
	}
	switch {
	case !ok && (number > r.last || number == 0):
		if number <= r.last+guessed {
			r.last = number // an invented ref must never become an element's
		}
		return nil, no(nil, RefUnknown, "was never given out in this session")
	case !ok:
		return nil, no(nil, RefForgotten,
			"is unknown: it was never given out, it is older than a restart, or its screen was unused for too long")
	case e.place.Value().device != device:
		return nil, no(nil, RefForeign, "belongs to another device: it was shown on "+e.place.Value().device)
	case e.place.Value().app != s.App:
		return nil, &NotInFrontError{Ref: fmt.Sprintf("@e%d", number), Was: e.describe(), App: e.place.Value().app, Front: s.App}
	case e.lost:
		return nil, no(e, RefAmbiguous, "is ambiguous: the screen changed and its element had twins")
	}
	claims := r.claims(number, e, s)
	if e.twin > 0 {
		if s.hash != e.hash || int(e.twin) > len(claims) {
			r.lose(number)
			return nil, no(e, RefAmbiguous, "is ambiguous: the screen changed and its element has twins")
		}
		return claims[e.twin-1], nil
	}
	switch len(claims) {
	case 1:
		return claims[0], nil
	case 0:
		return nil, no(e, RefGone, "is gone from the screen")
	}
	r.lose(number)
	return nil, no(e, RefAmbiguous, fmt.Sprintf("now fits %d elements", len(claims)))
}

// claims are the nodes that could be the entry's element: one is a match, several are ambiguous.
func (r *Refs) claims(number int, e *entry, s *Screen) []*Node {
	found := s.byIdentity[e.identity]
	if len(found) > 0 || !e.unique {
		return found
	}
	// Its label or its container changed; its identifier may still be there.
	found = s.find(func(n *Node) bool { return n.typedIdentifier() == e.was.typedIdentifier })
	if len(found) == 1 {
		if other := r.byKey[refKey{e.place, found[0].identity, found[0].twin}]; other != 0 && other != number {
			return nil // that element has a ref of its own
		}
	}
	return found
}

// Reach finds the point at which a touch reaches an element. The error is an UnreachableError.
func (r *Refs) Reach(device string, s *Screen, n *Node) (Reach, error) {
	reach, why := s.Reach(n)
	if why == "" {
		return reach, nil
	}
	e := &UnreachableError{Element: n.Describe(), Ref: "@" + r.Name(device, s, n), Why: why, OffScreen: !n.Visible()}
	if n.covered != nil {
		e.Cover = r.Candidates(device, s, []*Node{n.covered})
		e.Filled, e.Pages = s.front.filled(), s.front.pages()
	}
	return Reach{}, e
}

const mostCandidates = 5

// Candidates names the first few nodes for a fault's details.
func (r *Refs) Candidates(device string, s *Screen, nodes []*Node) []Candidate {
	out := []Candidate{}
	for _, n := range nodes[:min(mostCandidates, len(nodes))] {
		out = append(out, Candidate{"@" + r.Name(device, s, n), n.Type, s.Locate(n), n.Frame.Centre()})
	}
	return out
}

// Offer writes candidates on one line.
func Offer(candidates []Candidate) string {
	parts := make([]string, len(candidates))
	for i, c := range candidates {
		parts[i] = c.Ref + " " + c.describe()
	}
	return strings.Join(parts, ", ")
}

// rank orders the alternatives: same identifier, same type and label, same type nearest by. Geometry and order rank candidates; they never
// choose one.
func (s *Screen) rank(e *entry) []*Node {
	nodes := s.find(func(n *Node) bool { return s.worthShowing(n) && n.Interactive() })
	if free := slices.DeleteFunc(slices.Clone(nodes), s.shut); len(free) > 0 {
		nodes = free
	}
	if e == nil {
		return nodes
	}
	score := func(n *Node) float64 {
		points := math.Hypot(n.Frame.X-e.was.x, n.Frame.Y-e.was.y) / 1e4
		if n.Identifier == "" || n.Identifier != e.was.identifier {
			points += 4
		}
		if n.Label != e.was.label {
			points += 2
		}
		if n.Type != e.was.kind {
			points++
		}
		return points
	}
	slices.SortStableFunc(nodes, func(a, b *Node) int { return cmp.Compare(score(a), score(b)) })
	return nodes
}

// shut reports whether the whole element is covered, so that no touch reaches it.
func (s *Screen) shut(n *Node) bool {
	if n.covered == nil || n.Disabled {
		return n.covered != nil
	}
	_, why := s.Reach(n)
	return why != ""
}

// Size is the number of remembered refs and screens.
func (r *Refs) Size() int {
	return max(len(r.entries), len(r.byKey), len(r.byIdentifier)) + len(r.looks.kept)
}
