package recent_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ios-agent/internal/op/recent"
)

// TestMapForgetsLongestUnused: a value that is read or put again stays, the one that nobody used longest goes.
func TestMapForgetsLongestUnused(t *testing.T) {
	m := recent.Map[string, int]{Most: 3}
	for i, key := range []string{"a", "b", "c"} {
		m.Put(key, i)
	}
	m.Get("a")
	m.Put("b", 7)
	m.Put("d", 3)
	for key, want := range map[string]int{"a": 0, "b": 7, "d": 3} {
		if got, ok := m.Get(key); !ok || got != want {
			t.Errorf("value of %s = %d, %v; want %d", key, got, ok, want)
		}
	}
	if got, ok := m.Get("c"); ok || m.Len() != 3 {
		t.Errorf("value of c = %d, %v, with %d kept; want it forgotten, and 3 kept", got, ok, m.Len())
	}
}

// TestMapWithoutBoundKeepsNothing: a bound that somebody forgot to set is seen at once.
func TestMapWithoutBoundKeepsNothing(t *testing.T) {
	var m recent.Map[string, int]
	m.Put("a", 1)
	if got, ok := m.Get("a"); ok || m.Len() != 0 {
		t.Errorf("value = %d, %v, with %d kept; want none", got, ok, m.Len())
	}
}

// TestMapIsLikeListOfUses compares random uses with a list that has the last use at its end.
func TestMapIsLikeListOfUses(t *testing.T) {
	const most = 5
	random := rand.New(rand.NewPCG(1, 2))
	m, uses := recent.Map[int, int]{Most: most}, []int{}
	for step := range 10_000 {
		key := random.IntN(2 * most)
		at := slices.Index(uses, key)
		if random.IntN(2) == 0 {
			if _, ok := m.Get(key); ok != (at >= 0) {
				t.Fatalf("step %d: %d is kept: %v, want %v of %v", step, key, ok, at >= 0, uses)
			}
			if at < 0 {
				continue
			}
		} else {
			m.Put(key, step)
		}
		if at >= 0 {
			uses = slices.Delete(uses, at, at+1)
		}
		if uses = append(uses, key); len(uses) > most {
			uses = uses[1:]
		}
		if m.Len() != len(uses) {
			t.Fatalf("step %d: %d are kept, want %d", step, m.Len(), len(uses))
		}
	}
}
