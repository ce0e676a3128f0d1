package world

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
)

// Chaos makes passing faults happen by themselves. Whether one does depends on the seed, its name, the device and how
// often its occasion has come, and on nothing else: the same requests meet the same faults.
type Chaos struct {
	On   bool
	Seed uint64
	Rate float64  // share of the occasions on which a fault happens
	Only []string // names; empty is all that pass
	Seen map[string]uint64
	Hits map[string]uint64 // by name: how often it happened
}

const chaosKey = "chaos" // the Store's entry

// DefaultChaosRate is low because a single look is an occasion of a dozen faults.
const DefaultChaosRate = 0.01

// StartChaos lets passing faults happen from now on, from the beginning of the stream of its seed.
func (w *World) StartChaos(seed uint64, rate float64, only []string) error {
	if !(rate >= 0 && rate <= 1) {
		return fmt.Errorf("chaos: the rate is %v, it is a share from 0 to 1", rate)
	}
	for _, name := range only {
		kind, err := kindCalled(name)
		if err != nil {
			return err
		}
		if !kind.Passing {
			return fmt.Errorf("chaos: %s does not pass by trying again; those that do are %s", name, strings.Join(passing(), ", "))
		}
	}
	return w.setChaos(Chaos{On: true, Seed: seed, Rate: rate, Only: only})
}

// StopChaos ends it.
func (w *World) StopChaos() error { return w.setChaos(Chaos{}) }

func (w *World) setChaos(c Chaos) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chaos = c
	return w.keep(chaosKey, c)
}

// Chaos is what is going on.
func (w *World) Chaos() Chaos {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chaos
	c.Only, c.Seen, c.Hits = slices.Clone(c.Only), maps.Clone(c.Seen), maps.Clone(c.Hits)
	return c
}

func passing() (names []string) {
	for _, k := range KnownFaults() {
		if k.Passing {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

// chaotic reports whether chaos strikes on this occasion, and counts it. The caller holds the lock.
func (w *World) chaotic(udid string, kind FaultKind) bool {
	c := &w.chaos
	if !c.On || !kind.Passing || len(c.Only) > 0 && !slices.Contains(c.Only, kind.Name) {
		return false
	}
	if c.Seen == nil {
		c.Seen, c.Hits = map[string]uint64{}, map[string]uint64{}
	}
	key := kind.Name + "/" + udid
	n := c.Seen[key]
	c.Seen[key]++
	struck := draw(c.Seed, key, n) < c.Rate
	if struck {
		c.Hits[kind.Name]++
	}
	_ = w.keep(chaosKey, c) // when the Store fails the stream at worst repeats itself after a restart
	return struck
}

// draw is a number from 0 to 1 that looks random.
func draw(seed uint64, key string, n uint64) float64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, [2]uint64{seed, n}) // a hash takes everything
	h.Write([]byte(key))
	return float64(mix(h.Sum64())>>11) / math.Exp2(53)
}

// mix spreads what differs in few bits over all of them.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
