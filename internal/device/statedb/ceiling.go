package statedb

import (
	"os"
	"strconv"
	"strings"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/machine/store"
	"ios-agent/internal/machine/wholefile"
)

// ceiling is a number in a file of its own that no saved epoch is above. It is raised by several epochs at once, and before one
// of them is saved: few claims wait for a second file, and the next process begins above it. They are so few that epochs do not
// run ahead of the clock (a millisecond each) when processes start one after the other.
type ceiling struct {
	path string
	at   uint64 // as the file has it
}

const (
	ahead        = 20
	mostCeiling  = 1 << 53 // clients read epochs as JSON numbers, which are exact up to here
	epochDecimal = 10
)

// read gives the number; 0 when the file is not there or holds no number. The store and the clock are there then.
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

// raise returns when no epoch of the events is above what the file says.
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
