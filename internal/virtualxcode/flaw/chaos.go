package flaw

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
)

// Chaos makes passing faults happen without being armed. Whether a fault happens depends only on the seed, its name, the device and the
// number of the occasion, so the same requests meet the same faults.
type Chaos struct {
	On   bool              `json:"on"`
	Seed uint64            `json:"seed"`
	Rate float64           `json:"rate"`           // share of the occasions on which a fault happens
	Only []string          `json:"only,omitempty"` // names; empty is all that pass
	Seen map[string]uint64 `json:"seen,omitempty"` // by fault and device: how many occasions there were
	Hits map[string]uint64 `json:"hits,omitempty"` // by name: how often it happened
}

// DefaultChaosRate is low because a single look is an occasion of a dozen faults.
const DefaultChaosRate = 0.01

// Check validates the settings of chaos.
func (c Chaos) Check() error {
	if !(c.Rate >= 0 && c.Rate <= 1) {
		return fmt.Errorf("chaos: rate is %v, must be between 0 and 1", c.Rate)
	}
	for _, name := range c.Only {
		kind, err := kindCalled(name)
		if err != nil {
			return err
		}
		if !kind.Passing {
			return fmt.Errorf("chaos: %s does not pass by trying again; faults that do: %s", name, strings.Join(passing(), ", "))
		}
	}
	return nil
}

// Clone is a copy that shares nothing with c.
func (c Chaos) Clone() Chaos {
	c.Only, c.Seen, c.Hits = slices.Clone(c.Only), maps.Clone(c.Seen), maps.Clone(c.Hits)
	return c
}

func passing() (names []string) {
	for _, k := range Known() {
		if k.Passing {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

// chaotic reports whether chaos makes the fault happen on this occasion, and counts the occasion. If KeepChaos fails, chaos at worst
// repeats its stream after a restart.
func (p *Plan) chaotic(udid string, kind Kind) bool {
	c := &p.Chaos
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
	_ = kept(p.KeepChaos)
	return struck
}

// draw returns a pseudorandom number from 0 to 1.
func draw(seed uint64, key string, n uint64) float64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, [2]uint64{seed, n}) // a hash takes everything
	h.Write([]byte(key))
	return float64(mix(h.Sum64())>>11) / math.Exp2(53)
}

// mix makes numbers that differ in a few bits differ in all of them.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
