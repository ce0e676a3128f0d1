package ui

import (
	"errors"
	"testing"
)

// region is what UIKit puts beside a sheet or popover.
func region(kind string) *Node {
	n := at(kind, 0, 0, 400, 800)
	n.Identifier, n.Label = "PopoverDismissRegion", "dismiss popup"
	return n
}

func nameless(n *Node) *Node {
	n.Label = ""
	return n
}

// TestSheetOrMenuCoversElementsBehindIt: what takes the touches of the whole app covers all that is behind it, also beside it. The trees
// have the shapes that UIKit gives them.
func TestSheetOrMenuCoversElementsBehindIt(t *testing.T) {
	for name, c := range map[string]struct {
		over  []*Node // over a page with a button and a tab bar
		cover string  // of both; empty: they can be reached
		top   string  // the label of what can be touched
	}{
		"nothing": {},
		"an alert": {over: []*Node{at("Alert", 65, 300, 270, 150, at("Button", 65, 400, 270, 44))},
			cover: `alertdialog "Alert"`, top: "Button"},
		"an action sheet": {over: []*Node{at("Sheet", 8, 600, 384, 100, at("Button", 8, 640, 384, 57))}, cover: `dialog "Sheet"`, top: "Button"},
		"a popover": {over: []*Node{nameless(at("Other", 0, 0, 400, 800, region("Other"),
			at("Popover", 80, 70, 240, 240, at("Sheet", 80, 70, 240, 240, at("Button", 96, 240, 208, 48)))))},
			cover: `dialog "Popover"`, top: "Button"},
		"a popover without its region": {over: []*Node{at("Popover", 80, 70, 240, 240, at("Sheet", 80, 70, 240, 240,
			at("Button", 96, 240, 208, 48)))}, cover: `dialog "Popover"`, top: "Button"},
		"a menu": {over: []*Node{at("Menu", 100, 70, 240, 240, at("MenuItem", 100, 70, 240, 44))}, cover: `menu "Menu"`, top: "MenuItem"},
		"the popover of a date picker, whose region is a button after it": {over: []*Node{nameless(at("Other", 0, 0, 400, 800,
			at("DatePicker", 40, 380, 320, 330, at("Button", 60, 400, 150, 38)), region("Button")))}, cover: `a sheet`, top: "Button"},
		"a page sheet": {over: []*Node{region("Other"), nameless(at("Other", 0, 60, 400, 740, nameless(at("Other", 0, 60, 400, 740,
			at("NavigationBar", 0, 70, 400, 44), at("Link", 0, 200, 400, 44)))))}, cover: `sheet "NavigationBar"`, top: "Link"},
		"a bar of menus": {over: []*Node{at("MenuBar", 0, 0, 400, 20, at("MenuBarItem", 0, 0, 40, 20, at("Menu", 0, 20, 100, 80)))}},
	} {
		t.Run(name, func(t *testing.T) {
			behind, tab := at("Switch", 150, 400, 60, 40), at("Tab", 0, 751, 200, 48)
			page := nameless(at("Other", 0, 0, 400, 800, behind, at("TabBar", 0, 750, 400, 50, tab)))
			window := nameless(at("Window", 0, 0, 400, 800, append([]*Node{page}, c.over...)...))
			s := NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, window))
			for _, n := range []*Node{behind, tab} {
				want := ""
				if c.cover != "" {
					want = "it is covered by " + c.cover
				}
				if _, why := s.Reach(n); why != want {
					t.Errorf("%s: %q, want %q", n.Label, why, want)
				}
				if over := n.Covered(); (over != nil) != (c.cover != "") {
					t.Errorf("%s: covered by %v, want %q", n.Label, over, c.cover)
				}
			}
			if c.top == "" {
				return
			}
			top := s.last(func(n *Node) bool { return n.Label == c.top })
			if _, why := s.Reach(top); why != "" || top.covered != nil {
				t.Errorf("what is in front, %s: %s", c.top, why)
			}
		})
	}
}

// TestDismissRegionIsTouchedBesideSheet: the region that closes a sheet is touched beside the sheet, never on it.
func TestDismissRegionIsTouchedBesideSheet(t *testing.T) {
	beside := region("Other")
	sheet := at("Other", 0, 60, 400, 740, at("Button", 0, 200, 400, 44))
	s := NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, beside, sheet))
	if got, why := s.Reach(beside); why != "" || got.At.Y >= 60 {
		t.Errorf("%+v %s", got, why)
	}
	beside, popover := region("Other"), at("Popover", 0, 300, 400, 300, at("Sheet", 0, 300, 400, 300))
	s = NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, beside, popover))
	if got, why := s.Reach(beside); why != "" || popover.Frame.Contains(got.At) {
		t.Errorf("%+v %s", got, why)
	}
	beside, choices := region("Other"), at("Sheet", 8, 600, 384, 100)
	s = NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, beside, at("Other", 0, 60, 400, 740), choices))
	if _, why := s.Reach(beside); why != `it is covered by dialog "Sheet"` {
		t.Errorf("under an action sheet: %q", why)
	}
}

// TestPresentedFindsSheetByDismissRegion: a page sheet has no type of its own, and an alert over it comes before it.
func TestPresentedFindsSheetByDismissRegion(t *testing.T) {
	region, sheet, alert := at("Other", 0, 0, 400, 800), at("Other", 0, 60, 400, 740), at("Alert", 60, 300, 280, 160)
	region.Identifier = "PopoverDismissRegion"
	for name, c := range map[string]struct {
		over []*Node
		want *Node
	}{
		"nothing":             {nil, nil},
		"a sheet":             {[]*Node{region, sheet}, sheet},
		"an alert over sheet": {[]*Node{region, sheet, alert}, alert},
	} {
		page := at("Other", 0, 0, 400, 800, at("Button", 0, 100, 100, 40))
		window := at("Window", 0, 0, 400, 800, append([]*Node{page}, c.over...)...)
		if got := NewScreen("a", "", at("Application", 0, 0, 400, 800, window)).Presented(); got != c.want {
			t.Errorf("%s: presented = %v, want %v", name, got, c.want)
		}
	}
}

// TestRefusalUnderSheetReportsFilledFields: what is refused under a sheet does not suggest to close it when that loses what is in its
// fields.
func TestRefusalUnderSheetReportsFilledFields(t *testing.T) {
	for name, c := range map[string]struct {
		kind, value, placeholder string
		want                     bool
	}{
		"a text":                   {"TextField", "Ann", "", true},
		"a switch":                 {"Switch", "0", "", true},
		"a field that is empty":    {"TextField", "", "Name", false},
		"a field with placeholder": {"TextField", "Name", "Name", false},
		"a text that says so":      {"StaticText", "Ann", "", false},
	} {
		region, field, under := at("Other", 0, 0, 400, 800), at(c.kind, 20, 200, 300, 40), at("Button", 0, 100, 100, 40)
		region.Identifier, field.Value, field.Placeholder = "PopoverDismissRegion", c.value, c.placeholder
		page, sheet := at("Other", 0, 0, 400, 800, under), at("Other", 0, 60, 400, 740, field)
		s := NewScreen("a", "", at("Application", 0, 0, 400, 800, page, region, sheet))
		_, err := (&Refs{}).Reach("d", s, under)
		if e, is := errors.AsType[*UnreachableError](err); !is || e.Filled != c.want {
			t.Errorf("%s: got %+v, want a refusal that knows it filled: %v", name, err, c.want)
		}
	}
}

// TestRefusalUnderSheetReportsEarlierPages: the values of a page that the sheet showed before are not on the screen, and closing the sheet
// loses them.
func TestRefusalUnderSheetReportsEarlierPages(t *testing.T) {
	for name, c := range map[string]struct {
		label, identifier string
		x                 float64
		want              bool
	}{
		"a button back":         {"Page 1", "BackButton", 10, true},
		"a button on the left":  {"Page 1", "", 10, true},
		"a button to cancel":    {"Cancel", "", 10, false},
		"a button on the right": {"Add", "", 340, false},
	} {
		region, under, button := at("Other", 0, 0, 400, 800), at("Button", 0, 100, 100, 40), at("Button", c.x, 70, 50, 30)
		region.Identifier, button.Label, button.Identifier = "PopoverDismissRegion", c.label, c.identifier
		page, sheet := at("Other", 0, 0, 400, 800, under), at("Other", 0, 60, 400, 740, at("NavigationBar", 0, 60, 400, 50, button))
		s := NewScreen("a", "", at("Application", 0, 0, 400, 800, page, region, sheet))
		_, err := (&Refs{}).Reach("d", s, under)
		if e, is := errors.AsType[*UnreachableError](err); !is || e.Pages != c.want {
			t.Errorf("%s: got %+v, want a refusal that knows earlier pages: %v", name, err, c.want)
		}
	}
}

// TestKeyboardAndSystemWindowsCoverElements: keyboards and what the system shows over an app cover what lies under them, and no more.
func TestKeyboardAndSystemWindowsCoverElements(t *testing.T) {
	high, low, half := at("Button", 0, 20, 400, 50), at("Button", 0, 740, 300, 40), at("TextView", 0, 300, 400, 300)
	next, key, under := at("Button", 320, 740, 60, 50), at("Key", 0, 600, 400, 60), at("Button", 0, 610, 300, 40)
	app := at("Application", 0, 0, 400, 800, nameless(at("Window", 0, 0, 400, 800, high, half, low, under)),
		nameless(at("Window", 0, 0, 400, 800, next, nameless(at("Keyboard", 0, 500, 400, 220, key)))))
	banner := at("Other", 8, 10, 384, 80)
	banner.Identifier, banner.Label = "NotificationShortLookView", "Shop, now, Your order is ready"
	system := at("Application", 0, 0, 400, 800, nameless(at("Window", 0, 0, 400, 800, nameless(at("Other", 0, 0, 400, 800, banner)))))
	s := NewScreen("a", "running_foreground", &Node{Type: "Application", Made: true, Unplaced: true, Children: []*Node{app, system}})
	for n, want := range map[*Node]string{
		high:   `it is covered by generic "Shop, now, Your order is ready"`,
		low:    "it is covered by keyboard", // under the bar with the globe, which is no part of the keyboard's element
		under:  "it is covered by keyboard", // not by the key that happens to lie there
		half:   "",
		next:   "",
		key:    "",
		banner: "",
	} {
		got, why := s.Reach(n)
		if why != want {
			t.Errorf("%v: %q, want %q", n.Frame, why, want)
		}
		if n == half && got.At.Y >= 500 {
			t.Errorf("a touch at %v would press a key", got.At)
		}
	}
}
