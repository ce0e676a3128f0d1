package act_test

import (
	"context"
	"ios-agent/internal/virtualxcode/flaw"
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

func scrolling(name string, w act.Scroll) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) { return s.ScrollTo(ctx, named(name), w) }
}

func TestScrollToFindsElementsInLists(t *testing.T) {
	list := []string{"Gestures"}
	items := ui.Query{Identifier: "scroll-list"}
	perform(t, []step{
		{name: "down a list", way: list, do: scrolling("scroll-item-40", act.Scroll{}),
			want: want{outcome: ui.Changed, method: "scrolled", shows: "Item 40"}},
		{name: "in sight already", way: list, do: scrolling("scroll-item-2", act.Scroll{}),
			want: want{outcome: ui.Unchanged, method: "in sight already"}},
		{name: "in the list that is named", way: list, do: scrolling("scroll-item-40", act.Scroll{Within: items}),
			want: want{method: "scrolled", shows: "Item 40"}},
		{name: "down and up again", way: list, do: after(scrolling("scroll-item-40", act.Scroll{}), scrolling("scroll-item-1", act.Scroll{})),
			want: want{method: "scrolled", shows: "Item 1"}},
		{name: "up only", way: list, do: scrolling("scroll-item-40", act.Scroll{Direction: "up", Within: items}),
			want: want{code: fault.ElementNotFound, dispatched: fault.Dispatched, says: "no list on it scrolls up"}},
		{name: "too few swipes", way: list, do: scrolling("scroll-item-40", act.Scroll{Swipes: 1}),
			want: want{code: fault.ElementNotFound, dispatched: fault.Dispatched, says: "was not found in 1 swipes"}},
		{name: "nowhere", way: list, do: scrolling("no-such-item", act.Scroll{}),
			want: want{code: fault.ElementNotFound, dispatched: fault.Dispatched, says: "all were scrolled to their ends"}},
		{name: "in a list that is not there", way: list, do: scrolling("scroll-item-40",
			act.Scroll{Within: ui.Query{Identifier: "no-such-list"}}),
			want: want{code: fault.ElementNotFound}},
		{name: "in no direction", way: list, do: scrolling("scroll-item-40", act.Scroll{Direction: "inwards"}),
			want: want{code: fault.InvalidInput, says: "up, down, left or right"}},
		{name: "covered, not off the screen", way: []string{"Navigation", "nav-alert-button"}, do: scrolling("nav-push-button", act.Scroll{}),
			want: want{code: fault.ElementUnhittable, says: "covered"}},
		{name: "a list that glides too far", way: list, do: scrolling("scroll-item-30", act.Scroll{}),
			fault: always(wrong(flaw.ScrollOvershoots)),
			want:  want{method: "scrolled", shows: "Item 30"}},
	})
}

// long is a list of five hundred rows.
const long = `
start: rows
state: {chosen: none}
screens:
  rows:
    title: Rows
    elements:
      - {text: "Chosen: {chosen}", id: chosen}
      - id: rows
        height: 500
        list:
          - repeat: {count: 500, each: {button: "Row {index}", id: "row-{index}", style: cell, do: [{set: {chosen: "{index}"}}]}}
`

// Row 437 of 500 is found without being told where it is.
func TestScrollToFindsDistantRow(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.long", long)
	s.begin(t, "com.example.long")
	var report act.Report
	var err error
	took := s.took(func() { report, err = s.ScrollTo(t.Context(), named("row-437"), act.Scroll{}) })
	s.check(want{method: "scrolled", shows: "Row 437"}, report, err)
	if took > 11*time.Second {
		t.Errorf("it took %s", took)
	}
	report, err = s.Tap(t.Context(), act.How{}, named("row-437"))
	s.check(want{line: `"Chosen: none" → "Chosen: 437"`}, report, err)
}

// nested is a page that scrolls, with a list in it that scrolls too, a field, and rows that have the same label.
const nested = `
start: page
state: {name: ""}
screens:
  page:
    title: Page
    scroll: true
    elements:
      - {field: Name, id: name, bind: name}
      - id: inner
        height: 500
        list:
          - repeat: {count: 60, each: {text: "Row {index}", id: "row-{index}"}}
          - {text: Twin, id: twin-1}
          - {text: Twin, id: twin-2}
      - repeat: {count: 30, each: {text: "Line {index}", id: "line-{index}"}}
      - {button: Bottom, id: bottom}
`

func TestScrollToFindsElementInNestedList(t *testing.T) {
	s := newStand(t)
	const app = "com.example.nested"
	s.Install(app, nested)
	for _, c := range []struct {
		name string
		way  []string
		to   ui.Query
		want want
	}{
		{name: "in the inner list", to: named("row-50"), want: want{method: "scrolled", shows: "Row 50"}},
		{name: "below the inner list", to: named("bottom"), want: want{method: "scrolled", shows: "Bottom"}},
		{name: "in the inner list, with the keyboard up", way: []string{"name"}, to: named("row-50"),
			want: want{method: "scrolled", shows: "Row 50"}},
		{name: "below it, with the keyboard up", way: []string{"name"}, to: named("bottom"), want: want{method: "scrolled", shows: "Bottom"}},
		{name: "several, far away", to: ui.Query{Label: "Twin"},
			want: want{code: fault.ElementAmbiguous, dispatched: fault.Dispatched, says: "the list was scrolled; pass one of"}},
		{name: "nowhere", to: named("no-such-row"),
			want: want{code: fault.ElementNotFound, dispatched: fault.Dispatched, says: "all were scrolled to their ends"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.begin(t, app, c.way...)
			report, err := s.ScrollTo(t.Context(), c.to, act.Scroll{})
			s.check(c.want, report, err)
		})
	}
}

// A look that shows the screen before the swipe is not an end.
func TestScrollContinuesAfterStaleLook(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Gestures")
	stale := wrong(flaw.StaleTree)
	stale.After = 1
	s.Fault(*stale)
	report, err := s.ScrollTo(t.Context(), named("scroll-item-40"), act.Scroll{Direction: "down", Within: ui.Query{Identifier: "scroll-list"}})
	s.check(want{method: "scrolled", shows: "Item 40"}, report, err)
}

// A ref still means its element where that is now; scrolled away, it is refused.
func TestRefFollowsMovedElement(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop, "guest-button")
	tea, coffee := s.ref("add-tea"), s.ref("add-coffee")
	s.Fault(*wrong(flaw.LateInsert))
	report, err := s.Tap(t.Context(), act.How{}, ui.Query{Ref: tea})
	s.check(want{line: `+ text "New messages"`}, report, err)
	report, err = s.Tap(t.Context(), act.How{}, ui.Query{Ref: tea})
	s.check(want{outcome: ui.Changed}, report, err)
	if report.Target.Identifier != "add-tea" || s.ref("add-tea") != tea || s.ref("add-coffee") != coffee {
		t.Errorf("tapped %s; the refs are %s and %s", report.Target.Identifier, s.ref("add-tea"), s.ref("add-coffee"))
	}
	_, err = s.Swipe(t.Context(), act.How{}, named("item-list"), act.Swipe{Direction: "up"})
	s.Must(err)
	_, err = s.Tap(t.Context(), act.How{}, ui.Query{Ref: tea})
	s.check(want{code: fault.RefExpired}, act.Report{}, err)
}
