// Package oracle_test takes random walks through the product and compares every answer with the virtual world's own record. The walks use
// apps, sessions, faults and other programs. An answer may say that a fact is unknown; it must not claim a fact that is false.
// IOS_AGENT_SEED repeats one walk.
package oracle_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/test/soak"
)

// The shares of the kinds of walks when they are taken together, of a hundred: what costs little takes more.
const (
	shareOfAgent, shareOfWDA, shareOfAppium, shareOfIDB, shareOfDevice = 37, 3, 2, 5, 1
	shareOfFleet, shareOfSuggestions, shareOfDesktop                   = 24, 4, 24
)

// TestWalkSharesSumToHundred: so many walks as are asked for are taken.
func TestWalkSharesSumToHundred(t *testing.T) {
	sum := shareOfAgent + shareOfWDA + shareOfAppium + shareOfIDB + shareOfDevice + shareOfFleet + shareOfSuggestions + shareOfDesktop
	if sum != 100 {
		t.Errorf("got %d, want 100", sum)
	}
}

// TestNothingButTheTruth takes a walk for each seed. IOS_AGENT_SEED takes one walk alone, and tells its steps.
func TestNothingButTheTruth(t *testing.T) { walks(t, soak.Share(8, shareOfAgent), truthBy(byAgent)) }

// TestNothingButTheTruthByWDA takes walks with a device that is driven through WebDriverAgent.
func TestNothingButTheTruthByWDA(t *testing.T) { walks(t, soak.Share(1, shareOfWDA), truthBy(byWDA)) }

// TestNothingButTheTruthByAppium takes walks with a device that is driven through an Appium server in front of its WebDriverAgent.
func TestNothingButTheTruthByAppium(t *testing.T) {
	walks(t, soak.Share(1, shareOfAppium), truthBy(byAppium))
}

// TestNothingButTheTruthByIDB takes walks with a device that is driven through idb_companion.
func TestNothingButTheTruthByIDB(t *testing.T) { walks(t, soak.Share(1, shareOfIDB), truthBy(byIDB)) }

// truthBy takes the walk of a seed through a driver.
func truthBy(by driver) func(*testing.T, uint64) []string {
	return func(t *testing.T, seed uint64) []string { return tellTheTruth(t, newWalk(seed, by)) }
}

// walks takes the walk of each seed, or that of IOS_AGENT_SEED alone, with its history.
func walks(t *testing.T, many int, take func(t *testing.T, seed uint64) (history []string)) {
	if only, err := strconv.ParseUint(os.Getenv("IOS_AGENT_SEED"), 10, 64); err == nil {
		t.Log(strings.Join(take(t, only), "\n"))
		return
	}
	for seed := range soak.Seeds(t, many) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			take(t, seed)
		})
	}
}

// TestNothingButTheTruthOnADevice takes a few of the walks on a physical device, through usbmuxd.
func TestNothingButTheTruthOnADevice(t *testing.T) {
	walks(t, min(soak.Share(2, shareOfDevice), walksOnADevice), truthBy(onADevice))
}

// walksOnADevice are few: what is above the driver is the same as on a simulator.
const walksOnADevice = 4

func tellTheTruth(t *testing.T, w walk) (history []string) {
	return way{seed: w.seed, steps: w.steps, name: step.String, take: func(t testing.TB, steps []step) taken {
		k := walk{w.seed, w.by, w.apps, steps}.take(t)
		done := taken{history: k.history}
		for _, l := range k.lies {
			done.lies = append(done.lies, told{l.class, l.String()})
		}
		return done
	}}.truly(t)
}

// way is a walk of any kind: how it is taken, and how its steps are written down.
type way struct {
	seed  uint64
	steps []step
	name  func(step) string
	take  func(testing.TB, []step) taken
}

// taken is what came of a walk.
type taken struct {
	history []string
	lies    []told
}

// told is a lie, written down.
type told struct{ class, text string }

// truly takes a walk, and tells a lie with the shortest walk to it.
func (w way) truly(t *testing.T) (history []string) {
	t.Helper()
	k := w.take(t, w.steps)
	if len(k.lies) == 0 {
		return k.history
	}
	first := k.lies[0]
	short, history, last := w.shrink(t, first.class)
	var steps []string
	for _, s := range short {
		steps = append(steps, w.name(s))
	}
	t.Errorf("seed %d: %d lies; the first: %s\n\nthe shortest walk to a lie of this kind, %d steps of %d: %s\n%s\n\n%s", w.seed, len(k.lies),
		first.text, len(short), len(w.steps), strings.Join(steps, ", "), strings.Join(history, "\n"), last)
	return k.history
}

// mostRuns bounds how often a walk is taken to make it shorter.
const mostRuns = 40

// shrink drops steps, many at once and then fewer, as long as a lie of the same class is told.
func (w way) shrink(t *testing.T, class string) (steps []step, history []string, last string) {
	runs := 0
	fails := func(steps []step) (failed bool) {
		runs++
		t.Run("shorter", func(t *testing.T) {
			k := w.take(t, steps)
			for _, l := range k.lies {
				if l.class == class {
					failed, last, history = true, l.text, k.history
					return
				}
			}
		})
		return failed
	}
	for chunk := len(w.steps); chunk > 0; chunk /= 2 {
		for from := 0; from < len(w.steps) && runs < mostRuns; {
			shorter := slices.Delete(slices.Clone(w.steps), from, min(from+chunk, len(w.steps)))
			if fails(shorter) {
				w.steps = shorter
			} else {
				from += chunk
			}
		}
	}
	return w.steps, history, last
}
