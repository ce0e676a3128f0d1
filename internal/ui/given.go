package ui

import (
	"fmt"
	"slices"
)

// Given is a ref that was given out, and its element as last seen.
type Given struct {
	Ref  string `json:"ref"`
	What string `json:"what"`
}

// Given lists the refs of a device's last shown screen, in the order in which they were given.
func (r *Refs) Given(device string) []Given {
	last := r.shown(device)
	if last == nil {
		return nil
	}
	var numbers []int
	for number, e := range r.entries {
		if !e.lost && e.hash == last.screen.hash && e.place.Value().device == device {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	given := make([]Given, len(numbers))
	for i, number := range numbers {
		given[i] = Given{"@" + r.entries[number].name(number), r.entries[number].describe()}
	}
	return given
}

// LastApp is the app that was in front when the device was last shown; empty if the device was never shown.
func (r *Refs) LastApp(device string) string {
	if l := r.shown(device); l != nil {
		return l.screen.App
	}
	return ""
}

// given finds an element by the name that its device gives it. The session must have been shown the element under that name: two devices
// may give the same name, and lists show other rows in the same elements.
func (r *Refs) given(name, device string, s *Screen) (*Node, error) {
	number := r.byGiven[givenKey{device, name}]
	e := r.entries[number]
	no := func(was *entry, reason Reason, why string) error {
		return &ExpiredError{Ref: "@" + name, Was: was.describe(), Reason: reason, Why: why, Candidates: r.Candidates(device, s, s.rank(was))}
	}
	if e == nil {
		for key := range r.byGiven {
			if key.name == name {
				return nil, no(nil, RefForeign, "belongs to another device: it was shown on "+key.device)
			}
		}
		return nil, no(nil, RefUnknown, "was never given out in this session")
	}
	if app := e.place.Value().app; app != s.App {
		return nil, &NotInFrontError{Ref: "@" + name, Was: e.describe(), App: app, Front: s.App}
	}
	n := s.Called(name)
	switch {
	case n == nil:
		return nil, no(e, RefGone, "is gone from the screen")
	case n.Label != e.was.label && n.Label != "" && e.was.label != "" && !e.unique:
		return nil, no(e, RefAmbiguous, fmt.Sprintf("shows %s now, but this session was never shown that", Quote(n.Label)))
	}
	return n, nil
}

// NameGiven makes elements addressable by the names from their device, as Name does for refs.
func (r *Refs) NameGiven(device string, s *Screen, names []string) {
	shown := map[string]bool{}
	for _, name := range names {
		shown[name] = true
	}
	for _, n := range s.nodes {
		if shown[n.Given] {
			r.Name(device, s, n)
		}
	}
}

// Called is the element with this name from its device, or nil.
func (s *Screen) Called(name string) *Node {
	for _, n := range s.nodes {
		if n.Given == name && name != "" {
			return n
		}
	}
	return nil
}
