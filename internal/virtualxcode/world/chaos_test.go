package world_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

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

func TestChaosIsAStreamOfItsSeed(t *testing.T) {
	begin := func(seed uint64) *world.World {
		w := newWorld(t, world.Options{})
		if err := w.StartChaos(seed, 0.2, nil); err != nil {
			t.Fatal(err)
		}
		return w
	}
	a, b, c := begin(7), begin(7), begin(8)
	one, two := a.Devices()[0].UDID, a.Devices()[1].UDID
	first := stream(a, one, world.NoOpTap, 500)
	_ = stream(b, two, world.NoOpTap, 30) // another device and another fault do not disturb it
	_ = stream(b, one, world.StaleTree, 30)
	if again := stream(b, one, world.NoOpTap, 500); !slices.Equal(again, first) {
		t.Errorf("the same seed: %v and %v", first, again)
	}
	if other := stream(c, one, world.NoOpTap, 500); slices.Equal(other, first) {
		t.Error("another seed gives the same")
	}
	if n := len(first); n < 60 || n > 140 {
		t.Errorf("%d of 500 at a rate of 0.2", n)
	}
	if hits := a.Chaos().Hits[world.NoOpTap]; hits != uint64(len(first)) {
		t.Errorf("it counted %d of %d", hits, len(first))
	}
}

func TestChaosGoesOnAfterARestart(t *testing.T) {
	store := &memory{}
	whole := newWorld(t, world.Options{})
	parts := newWorld(t, world.Options{Store: store})
	udid := whole.Devices()[0].UDID
	for _, w := range []*world.World{whole, parts} {
		if err := w.StartChaos(3, 0.3, []string{world.EmptyTree}); err != nil {
			t.Fatal(err)
		}
	}
	want := stream(whole, udid, world.EmptyTree, 100)
	got := stream(parts, udid, world.EmptyTree, 40)
	for _, i := range stream(newWorld(t, world.Options{Store: store}), udid, world.EmptyTree, 60) {
		got = append(got, 40+i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("with a restart %v, without %v", got, want)
	}
}

func TestChaosKeepsToWhatPasses(t *testing.T) {
	w := newWorld(t, world.Options{})
	udid := w.Devices()[0].UDID
	for name, err := range map[string]error{
		"does not pass": w.StartChaos(1, 0.5, []string{world.BootHang}),
		"unknown fault": w.StartChaos(1, 0.5, []string{"rain"}),
		"a share":       w.StartChaos(1, 1.5, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v, want one about %q", err, name)
		}
	}
	if err := w.StartChaos(1, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, k := range world.KnownFaults() {
		if _, yes := w.TakeFault(udid, k.Name); yes != k.Passing {
			t.Errorf("%s at a rate of one: %v", k.Name, yes)
		}
	}
	if err := w.StopChaos(); err != nil {
		t.Fatal(err)
	}
	if hits := stream(w, udid, world.NoOpTap, 10); hits != nil || len(slices.Collect(maps.Keys(w.Chaos().Hits))) != 0 {
		t.Errorf("after its end: %v", hits)
	}
}
