package world_test

import (
	"reflect"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

// hittable lists the buttons of a screen that a finger reaches and that are enabled, by what they are called.
func hittable(root *world.Element) (names []string) {
	for e := range root.All() {
		if e.Type == "Button" && !e.Disabled && root.Frame.Contains(e.Frame.Centre()) {
			names = append(names, e.Identifier+e.Label)
		}
	}
	return names
}

// TestEveryButtonOfShopDoesSomething taps each button of the first screen, and of the one after signing in, in a world
// of its own: each changes what is to be seen.
func TestEveryButtonOfShopDoesSomething(t *testing.T) {
	for screen, c := range map[string]struct {
		arrive func(*driver)
		least  int
	}{
		"first":     {func(*driver) {}, 2},
		"filled in": {func(d *driver) { d.tap("email-field"); d.write("ada"); d.tap("password-field"); d.write("secret\n") }, 3},
		"items":     {func(d *driver) { d.tap("guest-button") }, 10},
	} {
		t.Run(screen, func(t *testing.T) {
			arrive := func() (*driver, *world.Element) {
				d := drive(t, world.Options{})
				d.launch(shop)
				c.arrive(d)
				return d, d.settle().Root
			}
			_, root := arrive()
			names := hittable(root)
			if len(names) < c.least {
				t.Fatalf("there are only %q", names)
			}
			for _, name := range names {
				d, before := arrive()
				for e := range before.All() {
					if e.Identifier+e.Label == name {
						d.must(d.Tap(t.Context(), d.udid, e.Frame.Centre()))
						break
					}
				}
				if after := d.settle(); reflect.DeepEqual(before, after.Root) && after.System == nil {
					t.Errorf("%s did nothing", name)
				}
			}
		})
	}
}
