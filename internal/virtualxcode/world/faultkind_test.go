package world_test

import (
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

func TestEveryFaultIsDeclared(t *testing.T) {
	plain, seen := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`), map[string]bool{}
	for _, k := range world.KnownFaults() {
		if !plain.MatchString(k.Name) || seen[k.Name] || k.Does == "" || k.Each == "" || k.Report == "" {
			t.Errorf("%q is not fully declared, or twice", k.Name)
		}
		seen[k.Name] = true
		w := newWorld(t, world.Options{})
		for _, p := range k.Params {
			if len(p.Words) == 0 && (p.Default < p.Min || p.Default > p.Max) || p.Means == "" {
				t.Errorf("%s: %s", k.Name, p.Describe())
			}
			for value, good := range map[string]bool{"": false, "x y": false, "999999999": false} {
				err := w.AddFault(world.Fault{Name: k.Name, Set: map[string]string{p.Name: value}})
				if (err == nil) != good || !strings.Contains(err.Error(), p.Name) {
					t.Errorf("%s with %s=%q: %v", k.Name, p.Name, value, err)
				}
			}
		}
		if err := w.AddFault(world.Fault{Name: k.Name}); err != nil {
			t.Error(err)
		}
		if err := w.AddFault(world.Fault{Name: k.Name, Set: map[string]string{"colour": "red"}}); err == nil || !strings.Contains(err.Error(), "colour") {
			t.Errorf("%s with a colour: %v", k.Name, err)
		}
	}
}

func TestTimesAndAfter(t *testing.T) {
	store := &memory{}
	w := newWorld(t, world.Options{Store: store})
	udid := w.Devices()[0].UDID
	pattern := func(f world.Fault) string {
		t.Helper()
		if err := w.AddFault(f); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for range 8 {
			_, yes := w.TakeFault(udid, f.Name)
			b.WriteByte(map[bool]byte{false: '.', true: 'x'}[yes])
		}
		return b.String()
	}
	for want, f := range map[string]world.Fault{
		"x.......": {Name: world.StaleTree},
		"xxx.....": {Name: world.EmptyTree, Times: 3},
		"..xx....": {Name: world.DeepTree, Times: 2, After: 2},
		"xxxxxxxx": {Name: world.HugeTree, Times: world.Forever},
		"........": {Name: world.NoOpTap, Device: w.Devices()[1].UDID},
	} {
		if got := pattern(f); got != want {
			t.Errorf("%+v happens %s, want %s", f, got, want)
		}
	}
	again := newWorld(t, world.Options{Store: store})
	if left := again.Faults(); len(left) != 2 {
		t.Errorf("after a restart there are %v", left)
	}
	if err := again.ClearFaults(world.HugeTree); err != nil || len(again.Faults()) != 1 {
		t.Errorf("after clearing one there are %v, %v", again.Faults(), err)
	}
	for _, f := range []world.Fault{{Name: world.NoOpTap, Times: -2}, {Name: world.NoOpTap, After: -1}} {
		if err := w.AddFault(f); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}
