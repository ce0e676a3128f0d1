package world_test

import (
	"slices"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// A device remembers each input that reached it, with what lay under the finger, also when a fault swallows or diverts it; what
// it refuses is none.
func TestInputsAreRemembered(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	add := find(d.tree(), "add").Frame.Centre()
	hit := func(in world.Input) string { return in.Path[len(in.Path)-1].Identifier }
	d.must(d.Tap(t.Context(), d.udid, add))
	d.fault(flaw.NoOpTap)
	d.must(d.Tap(t.Context(), d.udid, add))
	d.fault(flaw.TapMisses, "dx=2000")
	d.must(d.Tap(t.Context(), d.udid, add))
	all, count := d.Inputs(d.udid, 0)
	if count != 3 || len(all) != 3 {
		t.Fatalf("%d inputs, %d in all", len(all), count)
	}
	for i, in := range all {
		if in.Kind != world.InputTap || hit(in) != "add" || in.Front != "com.example.small" || in.From != add {
			t.Errorf("input %d: %+v", i, in)
		}
	}
	if before, after := find(all[0].Root, "count").Label, find(all[1].Root, "count").Label; before != "Count: 0" || after != "Count: 1" {
		t.Errorf("the first two met %q and %q", before, after)
	}
	if err := d.TypeText(t.Context(), d.udid, "x"); err == nil {
		t.Error("text was typed into nothing")
	}
	if err := d.SetValue(t.Context(), d.udid, add, "7"); err == nil {
		t.Error("a button took a value")
	}
	if _, now := d.Inputs(d.udid, count); now != count {
		t.Errorf("what was refused counts: %d", now)
	}
	d.tap("name")
	d.settle()
	d.must(d.TypeText(t.Context(), d.udid, "x"))
	d.must(d.SelectAll(t.Context(), d.udid))
	d.swipe(world.Point{X: 5, Y: 500}, world.Point{X: 5, Y: 300})
	d.must(d.LongPress(t.Context(), d.udid, add, time.Second))
	_, err := d.Launch(t.Context(), d.udid, world.SpringBoard, world.LaunchOptions{})
	d.must(err)
	var kinds []world.InputKind
	later, _ := d.Inputs(d.udid, count)
	for _, in := range later {
		kinds = append(kinds, in.Kind)
	}
	want := []world.InputKind{world.InputTap, world.InputKeys, world.InputSelect, world.InputSwipe, world.InputHold, world.InputHome}
	if !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}
