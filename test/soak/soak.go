// Package soak decides how many seeds a random test takes, and which seed is the first. A plain run takes a few seeds, always the same, so
// that a failure repeats. `make soak` takes hundreds; `make soak-tenth`, which CI runs, takes a tenth of them, and the first seed comes
// from the hash of the tree: another commit tries other walks, the same commit the same walks.
package soak

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// The variables that `make soak` sets.
const (
	manyVariable  = "IOS_AGENT_SOAK_SEEDS"
	walksVariable = "IOS_AGENT_SOAK_WALKS"
	firstVariable = "IOS_AGENT_SOAK_FIRST"
)

// Many is how many seeds are asked for, or as many as a plain run takes.
func Many(usual int) int { return int(number(manyVariable, uint64(usual))) }

// Share is Many for a test that takes a percentage of the walks that several kinds share, if a number of walks is set.
func Share(usual, share int) int {
	if walks := number(walksVariable, 0); walks > 0 {
		return int(walks) * share / 100
	}
	return Many(usual)
}

// Asked reports whether `make soak` runs, so that a test may take all cases instead of a sample.
func Asked() bool { return os.Getenv(manyVariable) != "" }

// Seeds are a number of consecutive seeds. The test's log has them: a failure can be repeated with its seed.
func Seeds(t testing.TB, many int) iter.Seq[uint64] {
	first := number(firstVariable, 0)
	t.Logf("%d seeds from %d", many, first)
	return func(yield func(uint64) bool) {
		for n := range uint64(many) {
			if !yield(first + n) {
				return
			}
		}
	}
}

func number(variable string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(variable), 10, 32); err == nil {
		return n
	}
	return otherwise
}
