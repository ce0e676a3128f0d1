package statedb

import (
	"os"
	"strconv"
	"strings"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/machine/store"
	"ios-agent/internal/machine/wholefile"
)

// ceiling is a number in a file of its own that is above every saved epoch. It rises by several epochs at once, before the first of
// them is saved, so few claims wait for the second file, and the next process begins above it. The step is small enough that epochs do
// not run ahead of the clock (a millisecond each) when processes start one after the other.
type ceiling struct {
	path string
	at   uint64 // as written in the file
}

const (
	ahead        = 20
	mostCeiling  = 1 << 53 // clients read epochs as JSON numbers, which are exact up to this one
	epochDecimal = 10
)

// read gives the number; 0 if the file is missing or has no number. The store and the clock remain in that case.
func (c *ceiling) read() uint64 {
	raw, err := os.ReadFile(c.path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(raw)), epochDecimal, 64)
	if err != nil || n > mostCeiling {
		return 0
	}
	c.at = n
	return n
}

// raise returns once the file's number is above every epoch of the events.
func (c *ceiling) raise(events []lease.Event) error {
	highest := uint64(0)
	for _, e := range events {
		highest = max(highest, e.Lease.Epoch)
	}
	if c.path == "" || highest <= c.at {
		return nil
	}
	at := highest + ahead
	if err := wholefile.Write(c.path, strconv.AppendUint(nil, at, epochDecimal)); err != nil {
		return &store.FailedError{Path: c.path, Err: err}
	}
	c.at = at
	return nil
}
