package world_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// stream is which of n occasions of a fault chaos uses.
func stream(w *world.World, udid, name string, n int) (hits []int) {
	for i := range n {
		if _, yes := w.TakeFault(udid, name); yes {
			hits = append(hits, i)
		}
	}
	return hits
}

func TestChaosRepeatsForSameSeed(t *testing.T) {
	begin := func(seed uint64) *world.World {
		w := newWorld(t, world.Options{})
		if err := w.SetChaos(flaw.Chaos{On: true, Seed: seed, Rate: 0.2}); err != nil {
			t.Fatal(err)
		}
		return w
	}
	a, b, c := begin(7), begin(7), begin(8)
	one, two := a.Devices()[0].UDID, a.Devices()[1].UDID
	first := stream(a, one, flaw.NoOpTap, 500)
	_ = stream(b, two, flaw.NoOpTap, 30) // another device and another fault do not disturb it
	_ = stream(b, one, flaw.StaleTree, 30)
	if again := stream(b, one, flaw.NoOpTap, 500); !slices.Equal(again, first) {
		t.Errorf("the same seed: %v and %v", first, again)
	}
	if other := stream(c, one, flaw.NoOpTap, 500); slices.Equal(other, first) {
		t.Error("another seed gives the same")
	}
	if n := len(first); n < 60 || n > 140 {
		t.Errorf("%d of 500 at a rate of 0.2", n)
	}
	if hits := a.Chaos().Hits[flaw.NoOpTap]; hits != uint64(len(first)) {
		t.Errorf("it counted %d of %d", hits, len(first))
	}
}

func TestChaosGoesOnAfterARestart(t *testing.T) {
	store := &memory{}
	whole := newWorld(t, world.Options{})
	parts := newWorld(t, world.Options{Store: store})
	udid := whole.Devices()[0].UDID
	for _, w := range []*world.World{whole, parts} {
		if err := w.SetChaos(flaw.Chaos{On: true, Seed: 3, Rate: 0.3, Only: []string{flaw.EmptyTree}}); err != nil {
			t.Fatal(err)
		}
	}
	want := stream(whole, udid, flaw.EmptyTree, 100)
	got := stream(parts, udid, flaw.EmptyTree, 40)
	for _, i := range stream(newWorld(t, world.Options{Store: store}), udid, flaw.EmptyTree, 60) {
		got = append(got, 40+i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("with a restart %v, without %v", got, want)
	}
}

func TestChaosUsesOnlyPassingFaults(t *testing.T) {
	w := newWorld(t, world.Options{})
	udid := w.Devices()[0].UDID
	for name, err := range map[string]error{
		"does not pass":   w.SetChaos(flaw.Chaos{On: true, Seed: 1, Rate: 0.5, Only: []string{flaw.BootHang}}),
		"unknown fault":   w.SetChaos(flaw.Chaos{On: true, Seed: 1, Rate: 0.5, Only: []string{"rain"}}),
		"between 0 and 1": w.SetChaos(flaw.Chaos{On: true, Seed: 1, Rate: 1.5}),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v, want one about %q", err, name)
		}
	}
	if err := w.SetChaos(flaw.Chaos{On: true, Seed: 1, Rate: 1}); err != nil {
		t.Fatal(err)
	}
	for _, k := range flaw.Known() {
		if _, yes := w.TakeFault(udid, k.Name); yes != k.Passing {
			t.Errorf("%s at a rate of one: %v", k.Name, yes)
		}
	}
	if err := w.SetChaos(flaw.Chaos{}); err != nil {
		t.Fatal(err)
	}
	if hits := stream(w, udid, flaw.NoOpTap, 10); hits != nil || len(slices.Collect(maps.Keys(w.Chaos().Hits))) != 0 {
		t.Errorf("after its end: %v", hits)
	}
}
