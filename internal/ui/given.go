package ui

import (
	"slices"
	"strconv"
)

// Given is a ref that was given out, and its element as it was seen.
type Given struct {
	Ref  string `json:"ref"`
	What string `json:"what"`
}

// Given are the refs of a device's screen that was shown last, in the order in which they were given.
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
		given[i] = Given{"@e" + strconv.Itoa(number), r.entries[number].describe()}
	}
	return given
}

// LastApp is the app that was in front when the device was shown last; empty when nothing was shown.
func (r *Refs) LastApp(device string) string {
	if l := r.shown(device); l != nil {
		return l.screen.App
	}
	return ""
}
